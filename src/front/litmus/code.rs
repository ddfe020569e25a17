//! The statements that stand for each instruction.
//!
//! | instruction | statements |
//! | --- | --- |
//! | `MOV EAX,[x]` | `EAX = x;` |
//! | `MOV [x],$1` | `x = 1;` |
//! | `XCHG EAX,[x]` | `EAX = swap(x, EAX);` |
//! | `ADD [x],EAX` | `old = x;` and then `x = (old + EAX …) …;` |
//! | `LOCK ADD [x],EAX` | `atomic { old = x; old = swap(x, (old + EAX …) …); }` |
//! | `MFENCE` | `fence;` |
//!
//! What an instruction does to registers and flags belongs to one step with its load or its store: others cannot see it,
//! so an `atomic` block around them takes nothing away. In the block of a locked instruction the load sees the thread's
//! own buffer, and `swap` waits until that is empty; nobody else writes in between, so that the two are one access.
//!
//! The flags are three locals: `result`, which ZF, SF and PF are about, `CF` and `OF`. They are set where a jump may
//! ask for them.

use std::collections::BTreeSet;

use crate::front::cup::ast::{
    Arm, Block, CompareOp, Cond, CondKind, Expr, Place, Rhs, Span, Stmt, StmtKind,
};

use super::bits::{self, Sum};
use super::condition::{Condition, Group, Test};
use super::flags::{Live, masked};
use super::instruction::{Binary, Instruction, Operand, Operation, Part, Unary, Width};
use super::names::{Names, Temporary};
use super::translate::{either, negated};
use crate::front::build::{assign, name_at, number_expr, place, place_expr, stmt};

/// The statements of a thread so far.
pub(super) struct Code<'n> {
    names: &'n Names,
    thread: u32,
    stmts: Vec<Stmt>,
    used: BTreeSet<Temporary>,
    /// The steps of the instruction at hand; each is a group of statements.
    steps: Vec<Vec<StmtKind>>,
    /// Whether the instruction at hand has accessed memory.
    accessed: bool,
    /// The flags that the instruction at hand must set.
    live: Live,
    span: Span,
}

impl<'n> Code<'n> {
    /// No statements yet.
    pub(super) fn new(names: &'n Names, thread: u32) -> Self {
        Code {
            names,
            thread,
            stmts: Vec::new(),
            used: BTreeSet::new(),
            steps: Vec::new(),
            accessed: false,
            live: Live::new(),
            span: Span::default(),
        }
    }

    /// Adds an instruction behind which these flags matter.
    pub(super) fn instruction(&mut self, instruction: &Instruction, live: &Live) {
        self.span = instruction.span;
        self.live.clone_from(live);
        self.steps = vec![Vec::new()];
        self.accessed = false;
        self.operation(instruction);
        self.finish(instruction);
    }

    /// The statements, and what they need to remember.
    pub(super) fn end(mut self, labels: &[String], span: Span) -> (Vec<Stmt>, BTreeSet<Temporary>) {
        if !labels.is_empty() {
            self.span = span;
            let mut last = stmt(StmtKind::Skip, span);
            last.labels = self.labels(labels);
            self.stmts.push(last);
        }
        (self.stmts, self.used)
    }

    fn finish(&mut self, instruction: &Instruction) {
        let steps = std::mem::take(&mut self.steps);
        let mut kinds: Vec<StmtKind> = steps
            .into_iter()
            .filter_map(|step| self.grouped(step))
            .collect();
        if kinds.is_empty() {
            kinds.push(StmtKind::Skip);
        }
        let is_plain = matches!(kinds.as_slice(), [kind] if !matches!(kind, StmtKind::Atomic(_)));
        let mut stmts: Vec<Stmt> = kinds
            .into_iter()
            .map(|kind| stmt(kind, self.span))
            .collect();
        stmts[0].labels = self.labels(&instruction.labels);
        if !is_plain {
            stmts[0].trivia.leading = vec![format!("// {}", instruction.text)];
        }
        self.stmts.extend(stmts);
    }

    fn labels(&self, labels: &[String]) -> Vec<crate::front::cup::ast::Name> {
        let names = &self.names.threads[&self.thread].labels;
        let labels = labels.iter();
        labels
            .map(|label| name_at(&names[label], self.span))
            .collect()
    }

    /// One statement for a step.
    fn grouped(&self, mut step: Vec<StmtKind>) -> Option<StmtKind> {
        match step.len() {
            0 => None,
            1 => step.pop(),
            _ => Some(StmtKind::Atomic(self.block(step))),
        }
    }

    fn block(&self, kinds: Vec<StmtKind>) -> Block {
        Block {
            stmts: kinds
                .into_iter()
                .map(|kind| stmt(kind, self.span))
                .collect(),
            span: self.span,
            ..Block::default()
        }
    }

    fn operation(&mut self, instruction: &Instruction) {
        let (width, locked) = (instruction.width, instruction.locked);
        match &instruction.operation {
            Operation::Move { to, from } => self.moved(to, from),
            Operation::Extend { to, from, signed } => {
                let value = self.read(from);
                let value = match signed {
                    true => value,
                    false => bits::without_sign(value, width),
                };
                self.set_part(to, value);
            }
            Operation::Exchange(to, from) => self.exchange(to, from),
            Operation::ExchangeAdd { to, from } => self.exchange_add(to, from, width, locked),
            Operation::CompareExchange {
                to,
                from,
                accumulator,
            } => self.compare_exchange(to, from, accumulator, locked),
            Operation::Unary(op, to) => self.unary(*op, to, width, locked),
            Operation::Binary {
                op,
                to,
                from,
                flags_only,
            } => {
                let operands = (self.read(to), self.read(from));
                let value = self.binary(*op, operands, width);
                if !flags_only {
                    self.write(to, value, locked);
                }
            }
            Operation::Shift { left, to, count } => match count {
                Operand::Number(count) => self.shift(*left, to, masked(*count, width), width),
                count => self.shift_by_register(*left, to, count, width),
            },
            Operation::Jump(None, label) => {
                let goto = self.goto(label);
                self.push(goto);
            }
            Operation::Jump(Some(condition), label) => {
                let cond = self.condition(*condition);
                self.jump_if(cond, label);
            }
            Operation::JumpIfZero(part, label) => {
                let cond = self.compare(CompareOp::Eq, self.part(part), 0);
                self.jump_if(cond, label);
            }
            Operation::Fence => self.push(StmtKind::Fence),
            Operation::StoreFence | Operation::Nothing => self.push(StmtKind::Skip),
        }
    }

    fn moved(&mut self, to: &Operand, from: &Operand) {
        match (to, from) {
            // A register that holds an address holds no number.
            (_, Operand::AddressOf(_)) => self.push(StmtKind::Skip),
            (Operand::Part(to), Operand::Memory(memory)) if to.is_whole() => {
                let (to, from) = (self.register(to), place_expr(self.shared(memory)));
                self.push(assign(to, from));
            }
            _ => {
                let value = self.read(from);
                self.write(to, value, false);
            }
        }
    }

    /// `XCHG` with memory is atomic with and without `LOCK`.
    fn exchange(&mut self, to: &Operand, from: &Part) {
        match to {
            Operand::Memory(memory) => {
                let swap = Rhs::Swap(self.shared(memory), self.part(from));
                if from.is_whole() {
                    let target = self.register(from);
                    self.push(StmtKind::Assign(target, swap));
                } else {
                    let old = self.temporary(Temporary::Old);
                    self.push(StmtKind::Assign(old.clone(), swap));
                    self.set_part(from, place_expr(old));
                }
            }
            to => {
                let value = self.read(to);
                let old = self.remember(Temporary::Old, value);
                let value = self.part(from);
                self.write(to, value, false);
                self.set_part(from, old);
            }
        }
    }

    /// The source gets the old target, and then the target the sum.
    fn exchange_add(&mut self, to: &Operand, from: &Part, width: Width, locked: bool) {
        let old = self.read(to);
        let sum = Sum::of(old.clone(), self.part(from), width);
        let value = self.sum_flags(&sum, &Group::ALL);
        match to {
            Operand::Memory(_) => {
                self.write(to, value, locked);
                self.set_part(from, old);
            }
            to => {
                let value = self.remember(Temporary::New, value);
                self.set_part(from, old);
                self.write(to, value, false);
            }
        }
    }

    /// The target is written in any case, with its old value if it is not the accumulator's.
    fn compare_exchange(&mut self, to: &Operand, from: &Part, accumulator: &Part, locked: bool) {
        let old = self.read(to);
        let old = match to {
            Operand::Memory(_) => old,
            _ => self.remember(Temporary::Old, old),
        };
        let difference = Sum::difference(self.part(accumulator), old.clone(), accumulator.width);
        self.sum_flags(&difference, &Group::ALL);
        let new = self.temporary(Temporary::New);
        let equal = self.equal(self.part(accumulator), old.clone());
        let replaced = vec![assign(new.clone(), self.part(from))];
        let kept = vec![
            assign(new.clone(), old.clone()),
            self.setting(accumulator, old),
        ];
        self.push_if(equal, replaced, kept);
        self.write(to, place_expr(new), locked);
    }

    fn unary(&mut self, op: Unary, to: &Operand, width: Width, locked: bool) {
        let value = self.read(to);
        let one = number_expr(1, self.span);
        let kept = &[Group::Result, Group::Overflow];
        let value = match op {
            Unary::Increment => self.sum_flags(&Sum::of(value, one, width), kept),
            Unary::Decrement => self.sum_flags(&Sum::difference(value, one, width), kept),
            Unary::Negate => {
                let zero = number_expr(0, self.span);
                self.sum_flags(&Sum::difference(zero, value, width), &Group::ALL)
            }
            Unary::Complement => bits::complement(value),
        };
        self.write(to, value, locked);
    }

    /// The result of an operation, whose flags are set.
    fn binary(&mut self, op: Binary, (left, right): (Expr, Expr), width: Width) -> Expr {
        match op {
            Binary::Add => self.sum_flags(&Sum::of(left, right, width), &Group::ALL),
            Binary::Sub => self.sum_flags(&Sum::difference(left, right, width), &Group::ALL),
            Binary::And | Binary::Or | Binary::Xor => {
                let value = bits::logical(op, left, right, width);
                let zero = number_expr(0, self.span);
                self.set_flag(Group::Carry, zero.clone());
                self.set_flag(Group::Overflow, zero);
                self.set_flag(Group::Result, value)
            }
        }
    }

    fn shift(&mut self, left: bool, to: &Operand, count: u32, width: Width) {
        let value = self.read(to);
        if count == 0 {
            self.write(to, value, false);
            return;
        }
        let bits = width.bits();
        let carry = if left {
            bits.checked_sub(count)
        } else {
            Some(count - 1)
        };
        if let Some(carry) = carry.filter(|_| count < bits) {
            self.set_flag(Group::Carry, bits::bit(value.clone(), carry));
        }
        if count == 1 {
            let sign = bits::bit(value.clone(), bits - 1);
            let overflow = match left {
                true => bits::differ(sign, bits::bit(value.clone(), bits - 2)),
                false => sign,
            };
            self.set_flag(Group::Overflow, overflow);
        }
        let shifted = shifted(left, value, count, width);
        let shifted = self.set_flag(Group::Result, shifted);
        self.write(to, shifted, false);
    }

    /// A shift by the register CL: by each of the powers of two that the count is made of.
    fn shift_by_register(&mut self, left: bool, to: &Operand, count: &Operand, width: Width) {
        let count = self.read(count);
        let powers = if width == Width::Quad { 6 } else { 5 };
        let value = self.read(to);
        let new = self.remember(Temporary::New, value);
        let target = self.temporary(Temporary::New);
        for power in 0..powers {
            let is_set = self.compare(CompareOp::Eq, bits::bit(count.clone(), power), 1);
            let shifted = shifted(left, new.clone(), 1 << power, width);
            self.push_if(is_set, vec![assign(target.clone(), shifted)], Vec::new());
        }
        if self.live.contains(&Group::Result) {
            let result = self.temporary(Temporary::Result);
            let counted = bits::low(count, powers);
            let shifts = self.compare(CompareOp::Ne, counted, 0);
            self.push_if(shifts, vec![assign(result, new.clone())], Vec::new());
        }
        self.write(to, new, false);
    }

    /// Sets those of the flags that a sum has and that matter; the value of the sum.
    fn sum_flags(&mut self, sum: &Sum, groups: &[Group]) -> Expr {
        if groups.contains(&Group::Carry) {
            self.set_flag(Group::Carry, sum.carry_flag());
        }
        self.set_flag(Group::Overflow, sum.overflow_flag());
        self.set_flag(Group::Result, sum.value())
    }

    /// Sets a flag if it matters; the value, which the flag's variable then has.
    fn set_flag(&mut self, group: Group, value: Expr) -> Expr {
        if !self.live.contains(&group) {
            return value;
        }
        self.remember(flag(group), value)
    }

    fn condition(&mut self, condition: Condition) -> Cond {
        let cond = match condition.test {
            Test::Overflow => self.is_set(Group::Overflow),
            Test::Below => self.is_set(Group::Carry),
            Test::Equal => self.result(CompareOp::Eq),
            Test::BelowOrEqual => either(self.is_set(Group::Carry), self.result(CompareOp::Eq)),
            Test::Sign => self.result(CompareOp::Lt),
            Test::Parity => {
                let result = place_expr(self.temporary(Temporary::Result));
                self.compare(CompareOp::Eq, bits::parity(&result), 0)
            }
            Test::Less => self.less(),
            Test::LessOrEqual => either(self.result(CompareOp::Eq), self.less()),
        };
        match condition.negated {
            true => negated(cond),
            false => cond,
        }
    }

    /// SF is not OF.
    fn less(&mut self) -> Cond {
        let both = |left: Cond, right: Cond| Cond {
            span: left.span,
            kind: CondKind::And(Box::new(left), Box::new(right)),
        };
        let overflow = self.is_set(Group::Overflow);
        either(
            both(self.result(CompareOp::Lt), negated(overflow.clone())),
            both(self.result(CompareOp::Ge), overflow),
        )
    }

    fn result(&mut self, op: CompareOp) -> Cond {
        let result = place_expr(self.temporary(Temporary::Result));
        self.compare(op, result, 0)
    }

    fn is_set(&mut self, group: Group) -> Cond {
        let flag = place_expr(self.temporary(flag(group)));
        self.compare(CompareOp::Eq, flag, 1)
    }

    /// The value of an operand; one in memory is loaded.
    fn read(&mut self, operand: &Operand) -> Expr {
        match operand {
            Operand::Part(part) => self.part(part),
            Operand::Number(number) => {
                let number = i64::try_from(*number).expect("numbers have at most 64 bits");
                number_expr(number, self.span)
            }
            Operand::Memory(memory) => {
                self.accessed = true;
                let value = place_expr(self.shared(memory));
                self.remember(Temporary::Old, value)
            }
            Operand::AddressOf(_) => unreachable!("addresses are not read as numbers"),
        }
    }

    /// Writes an operand; a store that follows a load is a step of its own, unless the two are locked.
    fn write(&mut self, operand: &Operand, value: Expr, locked: bool) {
        match operand {
            Operand::Part(part) => self.set_part(part, value),
            Operand::Memory(memory) if locked => {
                let old = self.temporary(Temporary::Old);
                let swap = Rhs::Swap(self.shared(memory), value);
                self.push(StmtKind::Assign(old, swap));
            }
            Operand::Memory(memory) => {
                if self.accessed {
                    self.steps.push(Vec::new());
                }
                let target = self.shared(memory);
                self.push(assign(target, value));
            }
            Operand::Number(_) | Operand::AddressOf(_) => {
                unreachable!("the parser has checked what is written")
            }
        }
    }

    fn part(&self, part: &Part) -> Expr {
        bits::extracted(place_expr(self.register(part)), part)
    }

    fn set_part(&mut self, part: &Part, value: Expr) {
        let setting = self.setting(part, value);
        self.push(setting);
    }

    fn setting(&self, part: &Part, value: Expr) -> StmtKind {
        let register = self.register(part);
        let whole = bits::inserted(&place_expr(register.clone()), part, value);
        assign(register, whole)
    }

    fn remember(&mut self, temporary: Temporary, value: Expr) -> Expr {
        let variable = self.temporary(temporary);
        self.push(assign(variable.clone(), value));
        place_expr(variable)
    }

    fn temporary(&mut self, temporary: Temporary) -> Place {
        self.used.insert(temporary);
        let locals = &self.names.threads[&self.thread];
        place(&locals.temporaries[&temporary], self.span)
    }

    fn register(&self, part: &Part) -> Place {
        let local = self.names.local(self.thread, &part.register);
        place(local, self.span)
    }

    fn shared(&self, memory: &str) -> Place {
        place(self.names.shared(memory), self.span)
    }

    fn compare(&self, op: CompareOp, left: Expr, right: i64) -> Cond {
        let kind = CondKind::Compare(op, left, number_expr(right, self.span));
        Cond {
            kind,
            span: self.span,
        }
    }

    fn equal(&self, left: Expr, right: Expr) -> Cond {
        Cond {
            kind: CondKind::Compare(CompareOp::Eq, left, right),
            span: self.span,
        }
    }

    fn goto(&self, label: &str) -> StmtKind {
        let names = &self.names.threads[&self.thread].labels;
        StmtKind::Goto(name_at(&names[label], self.span))
    }

    fn jump_if(&mut self, cond: Cond, label: &str) {
        let goto = self.goto(label);
        self.push_if(cond, vec![goto], Vec::new());
    }

    fn push(&mut self, kind: StmtKind) {
        self.steps
            .last_mut()
            .expect("an instruction has a step")
            .push(kind);
    }

    fn push_if(&mut self, cond: Cond, then: Vec<StmtKind>, otherwise: Vec<StmtKind>) {
        let arm = Arm {
            cond,
            block: self.block(then),
        };
        let otherwise = (!otherwise.is_empty()).then(|| self.block(otherwise));
        self.push(StmtKind::If(vec![arm], otherwise));
    }
}

fn shifted(left: bool, value: Expr, count: u32, width: Width) -> Expr {
    match left {
        true => bits::shifted_left(value, count, width),
        false => bits::shifted_right(value, count, width),
    }
}

/// The variable of a group of flags.
fn flag(group: Group) -> Temporary {
    match group {
        Group::Result => Temporary::Result,
        Group::Carry => Temporary::Carry,
        Group::Overflow => Temporary::Overflow,
    }
}
