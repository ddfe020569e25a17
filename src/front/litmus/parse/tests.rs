//! Tests of reading litmus tests.

use super::super::syntax::{Location, Prop, Quantifier, Side, Test};
use super::super::translate;
use super::*;
use crate::front::cup;
use crate::litmus::tests::stored_texts;

fn read(text: &str) -> Result<Test, Vec<Diagnostic>> {
    parse(&SourceFile::new("test.litmus", text)).map_err(|rejection| rejection.diagnostics)
}

/// Whether the test is right, but not modelled.
fn is_not_modelled(text: &str) -> bool {
    let parsed = parse(&SourceFile::new("test.litmus", text));
    parsed.is_err_and(|rejection| rejection.not_modelled)
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

/// The statements that stand for instructions, a line each.
fn statements(architecture: &str, instructions: &[&str]) -> Vec<String> {
    let test = good(&one_thread(architecture, instructions));
    let program = cup::print(&translate(&test));
    let body = program
        .lines()
        .skip_while(|line| !line.starts_with("thread"));
    let body = body.skip(1).take_while(|line| *line != "}");
    let lines = body
        .map(str::trim)
        .filter(|line| !line.starts_with("local"));
    lines.map(str::to_owned).collect()
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
    let texts = [
        "MOV EAX,[x]",
        "mov (x) , eax",
        "MOVL [x],$-1",
        "Mov EAX,0x10",
        "MOV EAX,EBX",
    ];
    let expected = ["EAX = x;", "x = EAX;", "x = -1;", "EAX = 16;", "EAX = EBX;"];
    assert_eq!(statements("X86", &texts), expected);
}

#[test]
fn att_writes_the_target_last() {
    let texts = ["movq (x),%rax", "mov %rax,[x]", "mov $1,(x)", "MOVQ 1,rax"];
    let expected = ["rax = x;", "x = rax;", "x = 1;", "rax = 1;"];
    assert_eq!(statements("X86_64", &texts), expected);
}

#[test]
fn exchanges_and_fences_are_read_in_all_spellings() {
    let texts = [
        "XCHG EAX,[x]",
        "xchg [x],EAX",
        "LOCK XCHG [x],EAX",
        "lock ; xchg EAX,[x]",
        "mfence",
    ];
    let swap = "EAX = swap(x, EAX);";
    assert_eq!(
        statements("X86", &texts),
        [swap, swap, swap, swap, "fence;"]
    );
    let registers = statements("X86", &["XCHG EAX,ECX"]);
    let expected = [
        "// XCHG EAX,ECX",
        "atomic {",
        "old = EAX;",
        "EAX = ECX;",
        "ECX = old;",
        "}",
    ];
    assert_eq!(registers, expected);
}

#[test]
fn a_locked_instruction_is_one_step_and_an_unlocked_one_two() {
    let sum = "(old + 5 + 2147483648) % 4294967296 - 2147483648";
    let unlocked = ["// ADD [x],$5", "old = x;", &format!("x = {sum};")];
    assert_eq!(statements("X86", &["ADD [x],$5"]), unlocked);
    let swap = format!("old = swap(x, {sum});");
    let locked = ["// LOCK ADD [x],$5", "atomic {", "old = x;", &swap, "}"];
    assert_eq!(statements("X86", &["LOCK ADD [x],$5"]), locked);
}

#[test]
fn flags_are_set_where_a_jump_asks_for_them() {
    let texts = ["TEST EAX,EAX", "TEST EBX,EBX", "JS L", "NOP", "L:"];
    let expected = [
        "skip;",
        "result = EBX;",
        "if (result < 0) {",
        "goto L;",
        "}",
        "skip;",
        "L: skip;",
    ];
    assert_eq!(statements("X86", &texts), expected);
}

#[test]
fn what_is_not_modelled_is_named_at_its_place() {
    let instruction = |text: &str| format!("{text} | the instruction `{text}` is not modelled");
    let cases = [
        ("CPUID", instruction("CPUID")),
        ("MOV EAX,é", instruction("MOV EAX,é")),
        ("NOPL [x]", instruction("NOPL [x]")),
        (
            "MOV EAX,[EBX]",
            "[EBX] | this address is that of no location".to_owned(),
        ),
        (
            "MOV EIP,$1",
            "EIP | the register `EIP` is not modelled".to_owned(),
        ),
        (
            "MOV %EAX,$1",
            "%EAX | the register `%EAX` is not modelled".to_owned(),
        ),
        (
            "MOVB [x],$1 ; MOVL [x],$1",
            "MOVL [x],$1 | mixed sizes: `x` has 8 bits and is accessed with 32".to_owned(),
        ),
        (
            "JE L ; L: NOP",
            "JE L | ZF, SF and PF may be undefined here".to_owned(),
        ),
    ];
    for (instruction, error) in cases {
        let text = one_thread("X86", &[instruction]);
        assert_eq!(errors(&text), [error]);
        assert!(is_not_modelled(&text), "{instruction}");
    }
}

#[test]
fn what_is_no_instruction_is_an_error_at_its_place() {
    let illegal = |text: &str| format!("{text} | `{text}` is not an instruction of x86");
    let instructions = [
        "MFENCE EAX",
        "LOCK MFENCE",
        "LOCK MOV [x],$1",
        "LOCK CMP [x],$1",
        "LOCK SHL [x],$1",
        "LOCK INC EAX",
        "MOV EAX",
        "MOV [x],[y]",
        "MOV $1,EAX",
        "MOV AL,EAX",
        "MOVB EAX,$1",
        "MOVQ [x],$1",
        "XCHG EAX,$1",
        "XCHG [x],[y]",
        "LOCK XCHG EAX,EBX",
        "XADD [x],$1",
        "XADD EAX,[x]",
        "CMPXCHG EAX,[x]",
        "SHL EAX,BL",
        "MOVZX AL,AX",
        "MOVZX EAX,EBX",
        "MOVSX AL,[x]",
        "INC EAX,EBX",
        "JRCXZ L",
        "JMP [x]",
    ];
    for instruction in instructions {
        let text = one_thread("X86", &[instruction]);
        assert_eq!(errors(&text), [illegal(instruction)]);
        assert!(!is_not_modelled(&text), "{instruction}");
    }
    let others = [
        ("MOV RAX,$1", "RAX | `RAX` is not a register"),
        (
            "MOV AL,$256",
            "MOV AL,$256 | the number 256 does not fit this instruction",
        ),
        (
            "MOV EAX,99999999999999999999",
            "99999999999999999999 | the number `99999999999999999999` is too large",
        ),
        (
            "MFENCE | MFENCE",
            "MFENCE | MFENCE ; | this row has 2 cells, but there is 1 thread",
        ),
        ("JMP M", "JMP M | there is no label `M` in this thread"),
        (
            "L: NOP ; L: MFENCE",
            "MFENCE | there are two labels `L` in this thread",
        ),
        ("MOV EAX,[x+EBX*3]", "3 | this is no factor of an index"),
        ("MOV EAX,[x+y]", "y | this is not the form of an address"),
    ];
    for (instruction, error) in others {
        assert_eq!(errors(&one_thread("X86", &[instruction])), [error]);
    }
}

/// With the prefix REX the numbers of AH … DH are those of spl … dil.
#[test]
fn high_bytes_do_not_go_with_what_needs_rex() {
    let illegal = [
        "mov %ah,%r8b",
        "xchgb %sil,%ch",
        "lock xaddb %dh,(%r8)",
        "cmpxchg %bh,(%rsi,%r9)",
        "add %ah,(%rax,%r9,8)",
        "movzbq %ah,%rcx",
        "movsx %bh,%r10d",
        "movzbq %ah,%tmp",
        "movzx %eax,%rax",
        "movzx (x),%al",
        "xadd (x),%eax",
        "cmpxchg (x),%eax",
    ];
    for instruction in illegal {
        let text = one_thread("X86_64", &[instruction]);
        let error = format!("{instruction} | `{instruction}` is not an instruction of x86");
        assert_eq!(errors(&text), [error]);
    }
    for legal in ["mov %ah,%bl", "movzbl %ah,%ecx", "xchg %ah,%tmp"] {
        assert!(read(&one_thread("X86_64", &[legal])).is_ok(), "{legal}");
    }
    let text = one_thread("X86_64", &["mov x(%rip,%rcx),%eax"]);
    assert_eq!(errors(&text), ["%rcx | `%rcx` is not part of an address"]);
}

#[test]
fn numbers_of_64_bits_stand_where_x86_has_them() {
    let big = ["movq $0x100000000,%rax"];
    assert_eq!(statements("X86_64", &big), ["rax = 4294967296;"]);
    let text = one_thread("X86_64", &["addq $0x100000000,%rax"]);
    let error = "addq $0x100000000,%rax | the number 4294967296 does not fit this instruction";
    assert_eq!(errors(&text), [error]);
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
    let text =
        "X86 T\n{ int *a; y=x; x=1; x=2; 7:EAX=1; ECX=1 }\n P0 | P0 ;\n CPUID | ;\nforall (true)\n";
    let expected = [
        "int *a | `int *a` is not modelled",
        "y=x | this initial value is not modelled",
        "x=2 | [x] has two initial values",
        "7 | there is no thread 7",
        "ECX | `ECX` is a register, not a location",
        "P0 | there are two threads P0",
        "CPUID | the instruction `CPUID` is not modelled",
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
    let text = "C T\n{ }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n";
    assert_eq!(errors(text), ["C | tests of kind `C` are not modelled"]);
    assert!(is_not_modelled(text));
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
