//! From a seed to a program.

use cupola::front::cup::ast::{
    ArithOp, Arm, CompareOp, Cond, CondKind, ConstDecl, Expr, ExprKind, Init, Item, ItemKind,
    LocalLine, Place, Rhs, Span, Stmt, StmtKind, Thread, Tree, Trivia, VarDecl,
};

use super::Random;
use super::build::{
    and, binary, block, compare, cond, expr, indexed, item, name, neg, not, num, or, place, stmt,
    var,
};
use super::marked::marked_store;
use super::shape::Shape;
use super::specs::{placements, specs};

pub(super) const LOCALS: [&str; 2] = ["r", "s"];
const PLACES: [&str; 3] = ["a", "b", "c"];

/// What the programs of a family are rich in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// A bit of everything.
    Mixed,
    /// Elements that variables pick, also of arrays in expressions. The only property is that indices are
    /// in range.
    Arrays,
    /// Atomic sections with loops in them.
    Sections,
    /// Specs that name locations; in each thread one store is marked.
    Locations,
    /// Copies of a thread that compute with their numbers, and specs that compute.
    Copies,
}

impl Flavour {
    /// All families.
    pub const ALL: [Flavour; 5] = [
        Flavour::Mixed,
        Flavour::Arrays,
        Flavour::Sections,
        Flavour::Locations,
        Flavour::Copies,
    ];
}

/// The program that belongs to a seed.
pub fn program(seed: u64) -> Tree {
    program_of(Flavour::Mixed, seed)
}

/// The program of a family that belongs to a seed.
pub fn program_of(flavour: Flavour, seed: u64) -> Tree {
    let mut random = Random::new(seed);
    let shared = Shared::draw(&mut random, flavour);
    let shape = Shape::draw(&mut random, &shared);
    let mut texts = Vec::new();
    let mut instances = 0;
    while instances < 2 {
        let text = ThreadText::draw(&mut random, &shared, shape, (texts.len(), instances));
        instances += text.copies.unwrap_or(1);
        texts.push(text);
    }
    let mut items: Vec<Item> = shared.constants().into_iter().collect();
    items.push(item(ItemKind::Shared(shared.declarations(&mut random))));
    items.extend(
        texts
            .iter()
            .map(|text| item(ItemKind::Thread(text.thread.clone()))),
    );
    items.extend(placements(&mut random, &texts));
    items.extend(specs(&mut random, &shared, &texts));
    Tree {
        items,
        end_comments: Vec::new(),
    }
}

/// The shared variables: scalars, and sometimes an array of two elements. There may be a constant `N`,
/// and then one that depends on it.
pub(super) struct Shared {
    pub(super) scalars: Vec<&'static str>,
    array: bool,
    pub(super) constant: Option<usize>,
    pub(super) flavour: Flavour,
}

impl Shared {
    fn draw(random: &mut Random, flavour: Flavour) -> Self {
        let scalars = if random.one_in(6) {
            vec!["X"]
        } else {
            vec!["X", "Y"]
        };
        Shared {
            scalars,
            array: random.one_in(6) || matches!(flavour, Flavour::Arrays | Flavour::Copies),
            constant: random.one_in(3).then(|| 1 + random.below(2)),
            flavour,
        }
    }

    /// `const LAST = N - 1, N = …;`
    fn constants(&self) -> Option<Item> {
        let constant = |text, value| ConstDecl {
            name: name(text),
            value,
            span: Span::default(),
        };
        let last = binary(ArithOp::Sub, var("N"), num(1));
        self.constant.map(|value| {
            let constants = vec![constant("LAST", last), constant("N", num(value))];
            item(ItemKind::Const(constants))
        })
    }

    /// A number, by its name if a constant has it.
    fn number(&self, value: usize) -> Expr {
        match self.constant == Some(value) {
            true => var("N"),
            false => num(value),
        }
    }

    fn declarations(&self, random: &mut Random) -> Vec<VarDecl> {
        let scalars = self
            .scalars
            .iter()
            .map(|scalar| declaration(scalar, None, self.initial(random)));
        let mut declarations: Vec<VarDecl> = scalars.collect();
        if self.array {
            let init = match random.below(4) {
                0 | 1 => Some(Init::List(vec![num(0), self.number(1)], Span::default())),
                2 => Some(Init::Range(num(0), num(1))),
                _ => None,
            };
            declarations.push(declaration("A", Some(self.number(2)), init));
        }
        declarations
    }

    fn initial(&self, random: &mut Random) -> Option<Init> {
        match random.below(24) {
            0 => Some(Init::Any(Span::default())),
            1 | 2 => Some(Init::Value(self.number(1))),
            3 => Some(Init::Range(num(0), self.number(1))),
            4 => Some(Init::Range(neg(num(1)), num(1))),
            _ => None,
        }
    }

    /// Names of scalars, array elements included.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let elements: &[&str] = if self.array { &["A_0", "A_1"] } else { &[] };
        self.scalars.iter().chain(elements).copied().collect()
    }
}

fn declaration(text: &str, size: Option<Expr>, init: Option<Init>) -> VarDecl {
    VarDecl {
        name: name(text),
        size,
        init,
        span: Span::default(),
    }
}

/// A thread with what specs may say about it.
pub(super) struct ThreadText {
    pub(super) thread: Thread,
    pub(super) copies: Option<usize>,
    pub(super) labels: Vec<String>,
    pub(super) optional: Vec<&'static str>,
}

impl ThreadText {
    fn draw(
        random: &mut Random,
        shared: &Shared,
        shape: Shape,
        (number, before): (usize, usize),
    ) -> Self {
        let copied = before == 0
            && shape == Shape::Free
            && (random.one_in(2) || shared.flavour == Flavour::Copies);
        let copies = copied.then_some(2);
        let mut writer = Writer {
            random,
            shared,
            replicated: copies.is_some(),
            array: false,
            labels: Vec::new(),
            jumps: Vec::new(),
            optional: Vec::new(),
            budget: 0,
        };
        let thread = writer.thread(&format!("P{number}"), copies, shape.accesses(number));
        let (labels, optional) = (writer.labels, writer.optional);
        ThreadText {
            thread,
            copies,
            labels,
            optional,
        }
    }
}

/// Where a statement stands, as far as it limits what may stand there.
#[derive(Clone, Copy, Default)]
struct Context {
    /// In a loop of the same side of an atomic border: `break` and `continue` are allowed.
    jumps: bool,
    /// In any loop: values must not grow.
    repeated: bool,
    /// In an atomic block.
    atomic: bool,
    /// How many blocks stand around it.
    depth: usize,
}

/// Writes the statements of one thread.
struct Writer<'a> {
    random: &'a mut Random,
    shared: &'a Shared,
    replicated: bool,
    array: bool,
    labels: Vec<String>,
    jumps: Vec<String>,
    optional: Vec<&'static str>,
    budget: usize,
}

impl Writer<'_> {
    fn thread(&mut self, text: &str, copies: Option<usize>, accesses: Vec<StmtKind>) -> Thread {
        self.array = self.random.one_in(8) || self.is(Flavour::Arrays);
        self.budget = 4 + self.random.below(3) - 2 * accesses.len().min(2);
        let mut stmts: Vec<Stmt> = accesses.into_iter().map(stmt).collect();
        if self.is(Flavour::Locations) {
            self.budget = self.budget.saturating_sub(2);
        }
        while self.budget > 0 {
            let position = self.random.below(stmts.len() + 1);
            stmts.insert(position, self.labelled(Context::default()));
        }
        if self.is(Flavour::Locations) {
            let position = self.random.below(stmts.len() + 1);
            stmts.splice(position..position, marked_store(self.random));
        }
        self.land_jumps(&mut stmts);
        let mut vars: Vec<VarDecl> = LOCALS
            .iter()
            .map(|local| declaration(local, None, self.shared.initial(self.random)))
            .collect();
        if self.array {
            vars.push(declaration("m", Some(self.shared.number(2)), None));
        }
        let local = LocalLine {
            vars,
            trivia: Trivia::default(),
            span: Span::default(),
        };
        Thread {
            name: name(text),
            copies: copies.map(|copies| self.shared.number(copies)),
            locals: vec![local],
            fifos: Vec::new(),
            backgrounds: Vec::new(),
            body: block(stmts),
        }
    }

    /// Every `goto` leads to a statement at the end of the thread.
    fn land_jumps(&mut self, stmts: &mut Vec<Stmt>) {
        for label in std::mem::take(&mut self.jumps) {
            let mut target = stmt(self.simple(Context::default()));
            target.labels.push(name(&label));
            self.labels.push(label);
            stmts.push(target);
        }
    }

    fn labelled(&mut self, context: Context) -> Stmt {
        self.budget = self.budget.saturating_sub(1);
        let compound = context.depth < 2
            && self
                .random
                .one_in(if self.is(Flavour::Sections) { 2 } else { 5 });
        let kind = if compound {
            self.compound(context)
        } else {
            self.simple(context)
        };
        let mut stmt = stmt(kind);
        if self
            .random
            .one_in(if self.is(Flavour::Locations) { 2 } else { 4 })
        {
            let label = format!("l{}", self.labels.len());
            stmt.labels.push(name(&label));
            self.labels.push(label);
        }
        stmt
    }

    fn stmts(&mut self, context: Context, most: usize) -> Vec<Stmt> {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.labelled(context)).collect()
    }

    fn compound(&mut self, context: Context) -> StmtKind {
        let inner = Context {
            depth: context.depth + 1,
            ..context
        };
        let looping = Context {
            jumps: true,
            repeated: true,
            ..inner
        };
        let kinds = match (context.atomic, self.shared.flavour) {
            (true, _) => 6,
            (false, Flavour::Sections) => 18,
            (false, _) => 9,
        };
        match self.random.below(kinds) {
            0 | 1 => self.branch(inner),
            2 => StmtKind::While(self.test(), block(self.stmts(looping, 2))),
            3 => StmtKind::DoWhile(block(self.stmts(looping, 2)), self.test()),
            4 | 5 => self.endless(looping),
            _ => StmtKind::Atomic(block(self.stmts(
                Context {
                    atomic: true,
                    jumps: false,
                    ..inner
                },
                3,
            ))),
        }
    }

    fn branch(&mut self, inner: Context) -> StmtKind {
        let mut arms = vec![Arm {
            cond: self.test(),
            block: block(self.stmts(inner, 2)),
        }];
        if self.random.one_in(3) {
            arms.push(Arm {
                cond: self.test(),
                block: block(self.stmts(inner, 1)),
            });
        }
        let otherwise = self.random.one_in(2).then(|| block(self.stmts(inner, 2)));
        StmtKind::If(arms, otherwise)
    }

    /// A `loop`, mostly with a way out.
    fn endless(&mut self, looping: Context) -> StmtKind {
        let mut stmts = self.stmts(looping, 2);
        if !self.random.one_in(5) {
            let jump = block(vec![stmt(StmtKind::Break)]);
            stmts.push(stmt(StmtKind::If(
                vec![Arm {
                    cond: self.test(),
                    block: jump,
                }],
                None,
            )));
        }
        StmtKind::Loop(block(stmts))
    }

    fn simple(&mut self, context: Context) -> StmtKind {
        match self.random.below(24) {
            0..=2 if context.jumps => self.jump(),
            0..=6 => StmtKind::Assign(self.shared_place(), Rhs::Expr(self.value(context))),
            7..=12 => {
                let source = expr(ExprKind::Place(self.shared_place()));
                StmtKind::Assign(self.local_place(), Rhs::Expr(source))
            }
            13 => StmtKind::Assign(self.local_place(), Rhs::Expr(self.value(context))),
            14 => self.havoc(),
            15 | 16 => StmtKind::Assign(self.local_place(), self.atomic_operation(context)),
            17 => StmtKind::Fence,
            18 => self.optional_fence(),
            19 => StmtKind::Assume(self.test()),
            20 => self.assertion(),
            21 | 22 if !context.repeated && !context.atomic => self.forward_jump(),
            23 => StmtKind::Assign(self.local_place(), self.choice()),
            _ => StmtKind::Skip,
        }
    }

    fn choice(&mut self) -> Rhs {
        let (low, high) = match self.random.below(4) {
            0 => (neg(num(1)), num(1)),
            1 if self.replicated => (num(0), expr(ExprKind::Tid)),
            2 => (num(1), num(2)),
            _ => (num(0), self.shared.number(1)),
        };
        Rhs::Choose(low, high)
    }

    fn havoc(&mut self) -> StmtKind {
        match self.random.one_in(3) {
            true => StmtKind::Assign(self.local_place(), Rhs::Any(Span::default())),
            false => StmtKind::Skip,
        }
    }

    fn atomic_operation(&mut self, context: Context) -> Rhs {
        let target = self.shared_place();
        match self.random.below(3) {
            0 => Rhs::Cas(target, self.constant(), self.constant()),
            1 if !context.repeated => Rhs::FetchAdd(target, self.constant()),
            _ => Rhs::Swap(target, self.value(context)),
        }
    }

    fn optional_fence(&mut self) -> StmtKind {
        let fresh = PLACES.iter().find(|place| !self.optional.contains(place));
        match fresh {
            Some(place) => {
                self.optional.push(place);
                StmtKind::OptionalFence(name(place))
            }
            None => StmtKind::Fence,
        }
    }

    fn jump(&mut self) -> StmtKind {
        match self.random.one_in(2) {
            true => StmtKind::Break,
            false => StmtKind::Continue,
        }
    }

    fn forward_jump(&mut self) -> StmtKind {
        let label = format!("end{}", self.jumps.len());
        self.jumps.push(label.clone());
        StmtKind::Goto(name(&label))
    }

    fn assertion(&mut self) -> StmtKind {
        if self.is(Flavour::Arrays) {
            return StmtKind::Skip;
        }
        if self.random.one_in(6) {
            return StmtKind::Assert(cond(CondKind::Any), None);
        }
        let shared = self.random.pick(&self.shared.names());
        let about_memory = compare(self.operator(), var(shared), self.constant());
        let condition = or(self.comparison(), about_memory);
        let message = self.random.one_in(2).then(|| "checked".to_owned());
        StmtKind::Assert(condition, message)
    }

    fn shared_place(&mut self) -> Place {
        if self.shared.array
            && self
                .random
                .one_in(if self.is(Flavour::Arrays) { 2 } else { 3 })
        {
            let index = match self.random.below(4) {
                0 | 2 if self.computes_with_tid() => self.other_copy(),
                0 if self.replicated => expr(ExprKind::Tid),
                1 => var(self.random.pick(&LOCALS)),
                2 | 3 if self.is(Flavour::Arrays) => var(self.random.pick(&LOCALS)),
                other => num(other % 2),
            };
            return indexed("A", index);
        }
        place(self.random.pick(&self.shared.names()))
    }

    fn local_place(&mut self) -> Place {
        if self.array && self.random.one_in(3) {
            let index = if self.random.one_in(3) {
                var("s")
            } else {
                num(self.random.below(2))
            };
            return indexed("m", index);
        }
        place(self.random.pick(&LOCALS))
    }

    fn is(&self, flavour: Flavour) -> bool {
        self.shared.flavour == flavour
    }

    fn computes_with_tid(&self) -> bool {
        self.replicated && self.is(Flavour::Copies)
    }

    /// `1 - tid`, the number of the other copy.
    fn other_copy(&self) -> Expr {
        binary(ArithOp::Sub, num(1), expr(ExprKind::Tid))
    }

    /// A number that a copy computes from its own, negative for some.
    fn of_tid(&mut self) -> Expr {
        let tid = expr(ExprKind::Tid);
        match self.random.below(4) {
            0 => neg(tid),
            1 => binary(ArithOp::Sub, tid, num(1)),
            2 => binary(ArithOp::Mul, num(2), tid),
            _ => self.other_copy(),
        }
    }

    fn constant(&mut self) -> Expr {
        if self.computes_with_tid() && self.random.one_in(2) {
            return self.of_tid();
        }
        match self.shared.constant {
            Some(_) if self.random.one_in(4) => var(self.random.pick(&["N", "LAST"])),
            _ => num(self.random.below(3)),
        }
    }

    /// A quotient or a remainder, of a negative number too.
    fn division(&mut self) -> Expr {
        let local = var(self.random.pick(&LOCALS));
        let dividend = match self.random.below(3) {
            0 => local,
            1 => neg(local),
            _ => binary(ArithOp::Sub, local, num(3)),
        };
        let op = self.random.pick(&[ArithOp::Div, ArithOp::Mod]);
        let divisor = 2 + self.random.below(2);
        binary(op, dividend, self.shared.number(divisor))
    }

    /// What an assignment writes; in loops only what keeps values small.
    fn value(&mut self, context: Context) -> Expr {
        if self.is(Flavour::Arrays) && self.random.one_in(4) {
            let index = var(self.random.pick(&LOCALS));
            return expr(ExprKind::Place(indexed("m", index)));
        }
        if self.computes_with_tid() && self.random.one_in(3) {
            return self.of_tid();
        }
        match self.random.below(8) {
            0 if self.random.one_in(2) => self.division(),
            0 => var(self.random.pick(&LOCALS)),
            1 if self.replicated => expr(ExprKind::Tid),
            2 if !context.repeated => binary(ArithOp::Add, var(self.random.pick(&LOCALS)), num(1)),
            3 if !context.repeated => {
                let negated = neg(var(self.random.pick(&LOCALS)));
                binary(ArithOp::Mul, num(2), negated)
            }
            _ => self.constant(),
        }
    }

    /// The condition of a branch, a loop or an `assume`.
    fn test(&mut self) -> Cond {
        match self.random.below(8) {
            0 => cond(CondKind::Any),
            1 => and(self.comparison(), self.comparison()),
            2 => not(self.comparison()),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Cond {
        let left = match self.random.one_in(6) {
            true => self.division(),
            false => expr(ExprKind::Place(self.local_place())),
        };
        compare(self.operator(), left, self.constant())
    }

    fn operator(&mut self) -> CompareOp {
        self.random.pick(&[
            CompareOp::Eq,
            CompareOp::Eq,
            CompareOp::Ne,
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
        ])
    }
}
