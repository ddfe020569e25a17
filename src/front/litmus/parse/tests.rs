//! Tests of reading litmus tests.

use super::super::syntax::{InstructionKind, Location, Prop, Quantifier, Side, Test, Value};
use super::*;
use crate::litmus::tests::stored_texts;

fn read(text: &str) -> Result<Test, Vec<Diagnostic>> {
    parse(&SourceFile::new("test.litmus", text))
}

fn good(text: &str) -> Test {
    read(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// Each error as the text that it points at and its message.
fn errors(text: &str) -> Vec<String> {
    let errors = read(text).expect_err("this test should not be read");
    let show = |error: &Diagnostic| {
        let place = &text[error.primary.0.range()];
        format!("{place} | {}", error.message)
    };
    errors.iter().map(show).collect()
}

/// A test of one thread with these instructions.
fn one_thread(architecture: &str, instructions: &[&str]) -> String {
    let rows: String = instructions
        .iter()
        .map(|text| format!(" {text} ;\n"))
        .collect();
    format!("{architecture} T\n{{ x=0; }}\n P0 ;\n{rows}forall (true)\n")
}

fn kinds(architecture: &str, instructions: &[&str]) -> Vec<InstructionKind> {
    let test = good(&one_thread(architecture, instructions));
    let instructions = test.threads[0].instructions.iter();
    instructions
        .map(|instruction| instruction.kind.clone())
        .collect()
}

fn register(architecture: Architecture, name: &str) -> Register {
    match architecture.lookup(name) {
        Named::Register(register) => register,
        named => panic!("{name}: {named:?}"),
    }
}

fn condition(text: &str) -> Prop {
    good(&format!(
        "X86 T\n{{ x=0; y=0; z=0; }}\n P0 | P1 ;\nexists {text}\n"
    ))
    .condition
    .prop
}

#[test]
fn intel_writes_the_target_first() {
    let eax = || register(Architecture::X86, "EAX");
    let expected = [
        InstructionKind::Load(eax(), "x".to_owned()),
        InstructionKind::Store("x".to_owned(), Value::Register(eax())),
        InstructionKind::Store("x".to_owned(), Value::Number(-1)),
        InstructionKind::Move(eax(), Value::Number(16)),
        InstructionKind::Move(eax(), Value::Register(register(Architecture::X86, "EBX"))),
    ];
    let texts = [
        "MOV EAX,[x]",
        "mov (x) , eax",
        "MOVL [x],$-1",
        "Mov EAX,0x10",
        "MOV EAX,EBX",
    ];
    assert_eq!(kinds("X86", &texts), expected);
}

#[test]
fn att_writes_the_target_last() {
    let rax = || register(Architecture::X86_64, "rax");
    let expected = [
        InstructionKind::Load(rax(), "x".to_owned()),
        InstructionKind::Store("x".to_owned(), Value::Register(rax())),
        InstructionKind::Store("x".to_owned(), Value::Number(1)),
        InstructionKind::Move(rax(), Value::Number(1)),
    ];
    let texts = ["movl (x),%eax", "movq %rax,[x]", "mov $1,(x)", "MOVQ 1,rax"];
    assert_eq!(kinds("X86_64", &texts), expected);
}

#[test]
fn exchanges_and_fences_are_read_in_all_spellings() {
    let eax = || register(Architecture::X86, "EAX");
    let exchange = || InstructionKind::Exchange(eax(), "x".to_owned());
    let texts = [
        "XCHG EAX,[x]",
        "xchg [x],EAX",
        "LOCK XCHG [x],EAX",
        "lock ; xchg EAX,[x]",
        "mfence",
    ];
    let expected = [
        exchange(),
        exchange(),
        exchange(),
        exchange(),
        InstructionKind::Fence,
    ];
    assert_eq!(kinds("X86", &texts), expected);
    let registers = kinds("X86", &["XCHG EAX,ECX"]);
    let expected = InstructionKind::ExchangeRegisters(eax(), register(Architecture::X86, "ECX"));
    assert_eq!(registers, [expected]);
}

#[test]
fn what_is_not_modelled_is_named_at_its_place() {
    let cases = [
        (
            "ADD [x],$1",
            "ADD [x],$1 | the instruction `ADD [x],$1` is not modelled",
        ),
        (
            "LFENCE",
            "LFENCE | the instruction `LFENCE` is not modelled",
        ),
        (
            "MFENCE EAX",
            "MFENCE EAX | the instruction `MFENCE EAX` is not modelled",
        ),
        (
            "LOCK MFENCE",
            "LOCK MFENCE | the instruction `LOCK MFENCE` is not modelled",
        ),
        (
            "MOVB [x],$1",
            "MOVB [x],$1 | the instruction `MOVB [x],$1` is not modelled",
        ),
        (
            "L0: MFENCE",
            "L0: MFENCE | the instruction `L0: MFENCE` is not modelled",
        ),
        (
            "MOV EAX",
            "MOV EAX | the instruction `MOV EAX` is not modelled",
        ),
        (
            "MOV EAX,4(x)",
            "MOV EAX,4(x) | the instruction `MOV EAX,4(x)` is not modelled",
        ),
        (
            "MOV EAX,é",
            "MOV EAX,é | the instruction `MOV EAX,é` is not modelled",
        ),
        (
            "MOV [x],[y]",
            "MOV [x],[y] | `MOV [x],[y]` is not an instruction of x86",
        ),
        (
            "MOV $1,EAX",
            "MOV $1,EAX | `MOV $1,EAX` is not an instruction of x86",
        ),
        (
            "XCHG EAX,$1",
            "XCHG EAX,$1 | `XCHG EAX,$1` is not an instruction of x86",
        ),
        (
            "XCHG [x],[y]",
            "XCHG [x],[y] | `XCHG [x],[y]` is not an instruction of x86",
        ),
        (
            "LOCK XCHG EAX,EBX",
            "LOCK XCHG EAX,EBX | `LOCK XCHG EAX,EBX` is not an instruction of x86",
        ),
        (
            "MOV EAX,[EBX]",
            "[EBX] | an address in a register is not modelled",
        ),
        ("MOV EIP,$1", "EIP | the register `EIP` is not modelled"),
        ("MOV %EAX,$1", "%EAX | the register `%EAX` is not modelled"),
        ("MOV AX,$1", "AX | `AX` is not a register"),
        (
            "MOV EAX,$2147483648",
            "$2147483648 | the number `$2147483648` is not modelled",
        ),
        (
            "MOV EAX,99999999999999999999",
            "99999999999999999999 | the number `99999999999999999999` is not modelled",
        ),
        (
            "MFENCE | MFENCE",
            "MFENCE | MFENCE ; | this row has 2 cells, but there is 1 thread",
        ),
    ];
    for (instruction, error) in cases {
        assert_eq!(errors(&one_thread("X86", &[instruction])), [error]);
    }
}

#[test]
fn the_wide_dialect_has_its_own_limits() {
    let cases = [
        ("movq $-1,(x)", "$-1 | the number `$-1` is not modelled"),
        ("mov $1,%al", "%al | the register `%al` is not modelled"),
        (
            "movl 4(%rax),%ebx",
            "movl 4(%rax),%ebx | the instruction `movl 4(%rax),%ebx` is not modelled",
        ),
        (
            "uxch %eax,(x)",
            "uxch %eax,(x) | the instruction `uxch %eax,(x)` is not modelled",
        ),
        (
            "movl (%rax),%ebx",
            "(%rax) | an address in a register is not modelled",
        ),
    ];
    for (instruction, error) in cases {
        assert_eq!(errors(&one_thread("X86_64", &[instruction])), [error]);
    }
}

/// A `|` that was forgotten must not move instructions to another thread.
#[test]
fn every_row_has_a_cell_for_each_thread() {
    let text = "X86 T\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MFENCE ;\n | MFENCE | ;\n | MFENCE ;\nforall (true)\n";
    let expected = [
        "MFENCE ; | this row has 1 cell, but there are 2 threads",
        "| MFENCE | ; | this row has 3 cells, but there are 2 threads",
    ];
    assert_eq!(errors(text), expected);
}

#[test]
fn the_other_order_of_operands_is_explained() {
    for (architecture, instruction, order) in [
        ("X86", "MOV $1,[x]", "Intel's order"),
        ("X86_64", "mov [x],$1", "AT&T's order"),
    ] {
        let errors = read(&one_thread(architecture, &[instruction])).expect_err("illegal");
        let notes = format!("{errors:?}");
        assert!(notes.contains(order), "{notes}");
    }
}

#[test]
fn all_errors_of_a_test_are_reported() {
    let text = "X86 T\n{ int a[2]={1,2}; 0:EAX=x; x=1; x=2; 7:EAX=1; ECX=1 }\n P0 | P0 ;\n INC [x] | ;\nforall (true)\n";
    let expected = [
        "int a[2]={1,2} | `int a[2]={1,2}` is not modelled",
        "0:EAX=x | `0:EAX=x` is not modelled",
        "x=2 | [x] has two initial values",
        "7 | there is no thread 7",
        "ECX | `ECX` is a register, not a location",
        "P0 | there are two threads P0",
        "INC [x] | the instruction `INC [x]` is not modelled",
    ];
    assert_eq!(errors(text), expected);
}

#[test]
fn conditions_are_checked() {
    let with = |end: &str| format!("X86 T\n{{ x=0; }}\n P0 ;\n MOV [y],$1 ;\n{end}\n");
    let cases = [
        (
            "exists (z=1)",
            "exists (z=1) | no thread and no initial value names `z`",
        ),
        ("exists (3:EAX=1)", "3 | there is no thread 3"),
        (
            "exists (EAX=1)",
            "EAX | `EAX` is a register, not a location",
        ),
        ("exists (x=y)", "y | the address of `y` is not modelled"),
        (
            "filter (x=1) exists (x=1)",
            "filter | `filter` is not modelled",
        ),
        ("observed x=1;", "observed | `observed` is not modelled"),
        (
            "exists (x=1 /\\ )",
            ") | this is not the syntax of a litmus test",
        ),
        ("exists (x=1", " | the test ends too early"),
        ("exists x", " | the test ends too early"),
        (
            "exists (x=1) /* */",
            "/ | this is not the syntax of a litmus test",
        ),
        ("exists (x=1) (* open", "(* | this comment is not closed"),
    ];
    for (end, error) in cases {
        let found = errors(with(end).trim_end());
        assert_eq!(found, [error], "{end}");
    }
}

#[test]
fn quantifiers_are_those_of_herd() {
    let quantifier = |text: &str| {
        let test = good(&format!("X86 T\n{{ x=0; }}\n P0 ;\n{text}\n"));
        test.condition.quantifier
    };
    assert_eq!(quantifier("exists x=1"), Quantifier::Exists);
    assert_eq!(quantifier("~ exists (x=1)"), Quantifier::NotExists);
    assert_eq!(quantifier("not exists (x=1)"), Quantifier::NotExists);
    assert_eq!(quantifier("forall (x=1);"), Quantifier::Forall);
    assert_eq!(
        quantifier("final (x=1) with sc: ~exists; tso: forall;"),
        Quantifier::Exists
    );
    assert_eq!(quantifier(""), Quantifier::Forall);
}

#[test]
fn operators_bind_as_in_herd() {
    let cases = [
        ("x=1 \\/ y=1 /\\ z=1", "[x]=1 \\/ [y]=1 /\\ [z]=1"),
        ("(x=1 \\/ y=1) /\\ z=1", "([x]=1 \\/ [y]=1) /\\ [z]=1"),
        ("x=1 => y=1 /\\ z=1", "([x]=1 => [y]=1) /\\ [z]=1"),
        ("(x=1 /\\ y=1) => z=1", "([x]=1 /\\ [y]=1) => [z]=1"),
        ("x=1 => y=1 => z=1", "[x]=1 => [y]=1 => [z]=1"),
        ("(x=1 => y=1) => z=1", "([x]=1 => [y]=1) => [z]=1"),
        ("~x=1 /\\ y=1", "not ([x]=1) /\\ [y]=1"),
        ("x!=1/\\not y<>1", "not ([x]=1) /\\ not (not ([y]=1))"),
        ("P1:EAX==0:EBX", "1:EAX=0:EBX"),
        ("true \\/ false", "true \\/ false"),
    ];
    for (text, printed) in cases {
        let prop = condition(text);
        assert_eq!(prop.to_string(), printed);
        assert_eq!(condition(printed), prop, "{printed}");
    }
}

#[test]
fn implication_groups_to_the_right_and_binds_tightly() {
    let atom = |name: &str| Prop::Equal(Location::Memory(name.to_owned()), Side::Number(1));
    let implies = |left, right| Prop::Implies(Box::new(left), Box::new(right));
    let expected = Prop::And(vec![
        implies(atom("x"), implies(atom("y"), atom("z"))),
        atom("x"),
    ]);
    assert_eq!(condition("x=1 => y=1 => z=1 /\\ x=1"), expected);
}

#[test]
fn a_test_may_take_its_name_from_its_file() {
    let file = SourceFile::new("some/folder/SB.litmus", "X86 --\n{ }\n P0 ;\n");
    assert_eq!(parse(&file).unwrap().name, "SB");
}

#[test]
fn other_architectures_are_refused() {
    assert_eq!(
        errors("AArch64 T\n{ }\n P0 ;\n"),
        ["AArch64 | tests of `AArch64` are not modelled"]
    );
}

#[test]
fn broken_texts_are_errors_and_never_panics() {
    for text in stored_texts() {
        for end in 0..=text.len() {
            let _ = read(&text[..end]);
        }
        for at in 0..text.len() {
            let instead = ["(", "é", ";", "|", "{", "~"][at % 6];
            let _ = read(&format!("{}{instead}{}", &text[..at], &text[at + 1..]));
        }
        good(&text);
    }
}

#[test]
fn deep_and_long_conditions_are_refused() {
    let test = |condition: String| format!("X86 T\n{{ x=0; }}\n P0 ;\nexists {condition}\n");
    let nested = |depth| test(format!("{}x=1{}", "(".repeat(depth), ")".repeat(depth)));
    assert!(read(&nested(100)).is_ok());
    let deep = "( | this condition nests too deeply";
    assert_eq!(errors(&nested(100_000)), [deep]);
    assert!(errors(&test(format!("{}x=1", "~".repeat(100_000))))[0].ends_with("nests too deeply"));
    for operator in ["/\\", "\\/", "=>"] {
        let chain = |length| test(vec!["x=1"; length].join(operator));
        assert!(read(&chain(500)).is_ok());
        assert!(errors(&chain(10_000))[0].ends_with("this condition is too long"));
    }
    let comments = format!(
        "X86 T\n{}{}\n{{ }}\n P0 ;\n",
        "(*".repeat(50_000),
        "*)".repeat(50_000)
    );
    assert!(read(&comments).is_ok());
}
