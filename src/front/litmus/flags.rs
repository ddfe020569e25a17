//! Which flags instructions set, and which of them matter.
//!
//! Input: the instructions of a thread. Output: for each instruction the flags that it must set because a jump may ask
//! for them ([`Live`]). A jump that asks for a flag which may be undefined, because no instruction has set it or because
//! the manuals leave it open, is refused. AF, which no jump asks for, is left out.

use super::condition::Group;
use super::flow::Flow;
use super::instruction::{Instruction, Operand, Operation, Unary, Width};
use super::report::Report;

/// The groups of flags whose value behind an instruction matters.
pub(super) type Live = Vec<Group>;

/// What an instruction does to a group of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Keeps,
    Sets,
    /// Sets it, or keeps it: a shift by a number that may be 0.
    MaySet,
    /// Leaves it undefined.
    Spoils,
}

/// The flags that each instruction must set.
pub(super) fn live(instructions: &[Instruction], flow: &Flow) -> Vec<Live> {
    let join = |left: &Live, right: &Live| {
        let all = Group::ALL.into_iter();
        all.filter(|group| left.contains(group) || right.contains(group))
            .collect()
    };
    let step = |at: usize, behind: &Live| {
        let operation = &instructions[at].operation;
        let asked = asked(operation);
        let is_live = |&group: &Group| {
            let needed = match effect(operation, instructions[at].width, group) {
                Effect::Keeps | Effect::MaySet => behind.contains(&group),
                Effect::Sets | Effect::Spoils => false,
            };
            needed || asked.contains(&group)
        };
        Group::ALL.into_iter().filter(is_live).collect()
    };
    flow.backward(&Vec::new(), step, join)
}

/// Refuses jumps that ask for flags which may be undefined.
pub(super) fn check(instructions: &[Instruction], flow: &Flow, report: &mut Report) {
    let join = |left: &Live, right: &Live| {
        let left = left.iter().copied();
        left.filter(|group| right.contains(group)).collect()
    };
    let step = |at: usize, before: &Live| {
        let instruction = &instructions[at];
        let is_defined =
            |group: &Group| match effect(&instruction.operation, instruction.width, *group) {
                Effect::Keeps | Effect::MaySet => before.contains(group),
                Effect::Sets => true,
                Effect::Spoils => false,
            };
        Group::ALL.into_iter().filter(is_defined).collect()
    };
    let defined = flow.forward(Vec::new(), step, join);
    for (instruction, defined) in instructions.iter().zip(&defined) {
        let Some(defined) = defined else { continue };
        for group in asked(&instruction.operation) {
            if !defined.contains(group) {
                let message = format!("{} may be undefined here", group.flags());
                let note = "let an instruction set it on every way to the jump; a shift defines OF for a count of 1 alone, and CF for counts below the width";
                report.refuse(
                    message,
                    instruction.span,
                    "asks for an undefined flag",
                    note,
                );
            }
        }
    }
}

/// Refuses a shift of memory by a count that may be 0: the manuals do not say whether memory is written then.
pub(super) fn check_shifts(instructions: &[Instruction], report: &mut Report) {
    for instruction in instructions {
        if let Operation::Shift {
            to: Operand::Memory(_),
            count,
            ..
        } = &instruction.operation
            && !matches!(count, Operand::Number(count) if masked(*count, instruction.width) > 0)
        {
            let note = "shift by a number that is known and not 0, or shift a register";
            let message = "whether a shift by 0 writes memory is not defined";
            report.refuse(message, instruction.span, "the count may be 0", note);
        }
    }
}

/// The flags that an instruction asks for.
fn asked(operation: &Operation) -> &'static [Group] {
    match operation {
        Operation::Jump(Some(condition), _) => condition.groups(),
        _ => &[],
    }
}

fn effect(operation: &Operation, width: Width, group: Group) -> Effect {
    match operation {
        Operation::ExchangeAdd { .. }
        | Operation::CompareExchange { .. }
        | Operation::Binary { .. }
        | Operation::Unary(Unary::Negate, _) => Effect::Sets,
        Operation::Unary(Unary::Increment | Unary::Decrement, _) => match group {
            Group::Carry => Effect::Keeps,
            Group::Result | Group::Overflow => Effect::Sets,
        },
        Operation::Shift { count, .. } => match count {
            Operand::Number(count) => shift_effect(masked(*count, width), width, group),
            _ if group == Group::Result => Effect::MaySet,
            _ => Effect::Spoils,
        },
        Operation::Unary(Unary::Complement, _)
        | Operation::Move { .. }
        | Operation::Extend { .. }
        | Operation::Exchange(..)
        | Operation::Jump(..)
        | Operation::JumpIfZero(..)
        | Operation::Fence
        | Operation::StoreFence
        | Operation::Nothing => Effect::Keeps,
    }
}

/// What a shift by a count that is known does to flags.
fn shift_effect(count: u32, width: Width, group: Group) -> Effect {
    match (group, count) {
        (_, 0) => Effect::Keeps,
        (Group::Result, _) | (Group::Overflow, 1) => Effect::Sets,
        (Group::Carry, count) if count < width.bits() => Effect::Sets,
        (Group::Carry | Group::Overflow, _) => Effect::Spoils,
    }
}

/// The count of a shift as the processor takes it: its lowest 5 bits, or 6 for 64 bits.
pub(super) fn masked(count: i128, width: Width) -> u32 {
    let modulus = match width {
        Width::Quad => 64,
        Width::Byte | Width::Word | Width::Double => 32,
    };
    u32::try_from(count.rem_euclid(modulus)).expect("it is below 64")
}
