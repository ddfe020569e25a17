//! Tree nodes from parsed pieces: declarations and simple statements.

use super::operators::name;
use super::{Parser, Piece, Rule};
use crate::front::cup::ast::{
    Cond, ConstDecl, Expr, ExprKind, Init, Name, Place, Placement, Rhs, Spec, SpecKind, StmtKind,
    VarDecl,
};
use crate::memory::Model;
use crate::source::Diagnostic;

impl Parser<'_> {
    pub(super) fn variables(&mut self, piece: &Piece<'_>) -> Vec<VarDecl> {
        piece
            .all(Rule::variable)
            .map(|variable| self.variable(&variable))
            .collect()
    }

    fn variable(&mut self, piece: &Piece<'_>) -> VarDecl {
        VarDecl {
            name: name(&piece.needed(Rule::name)),
            size: self.size(piece),
            init: piece.part(Rule::init).map(|init| self.init(&init)),
            span: piece.span(),
        }
    }

    pub(super) fn constants(&mut self, piece: &Piece<'_>) -> Vec<ConstDecl> {
        piece
            .all(Rule::constant)
            .map(|constant| self.constant(&constant))
            .collect()
    }

    fn constant(&mut self, piece: &Piece<'_>) -> ConstDecl {
        ConstDecl {
            name: name(&piece.needed(Rule::name)),
            value: self.expr(&piece.needed(Rule::expr)),
            span: piece.span(),
        }
    }

    /// The expression in brackets behind a name.
    pub(super) fn size(&mut self, piece: &Piece<'_>) -> Option<Expr> {
        let size = piece.part(Rule::size)?;
        Some(self.expr(&size.needed(Rule::expr)))
    }

    fn init(&mut self, piece: &Piece<'_>) -> Init {
        if let Some(list) = piece.part(Rule::init_list) {
            let values = list.all(Rule::expr).map(|item| self.initial(&item));
            return Init::List(values.collect(), list.span());
        }
        let mut ends = piece.all(Rule::expr);
        let first = ends.next().expect("an initial value has an expression");
        match ends.next() {
            Some(last) => Init::Range(self.initial(&first), self.initial(&last)),
            None if is_smallest(&first) => Init::Value(self.initial(&first)),
            None => match self.expr_or_any(&first) {
                Ok(value) => Init::Value(value),
                Err(span) => Init::Any(span),
            },
        }
    }

    /// An initial value. The smallest number is one, although its digits alone do not fit.
    fn initial(&mut self, piece: &Piece<'_>) -> Expr {
        match is_smallest(piece) {
            true => Expr {
                kind: ExprKind::Num(i64::MIN),
                span: piece.span(),
            },
            false => self.expr(piece),
        }
    }

    /// A number without a sign, if it fits.
    pub(super) fn number(&mut self, piece: &Piece<'_>) -> Option<i64> {
        let number = piece.text().parse().ok();
        if number.is_none() {
            self.report(too_large(piece));
        }
        number
    }

    pub(super) fn placement(&mut self, piece: &Piece<'_>) -> Placement {
        let model = match piece.needed(Rule::model).text() {
            "tso" => Model::Tso,
            _ => Model::Pso,
        };
        Placement {
            model,
            places: piece.all(Rule::name).map(|place| name(&place)).collect(),
        }
    }

    pub(super) fn spec(&mut self, piece: &Piece<'_>) -> Spec {
        let kind = match piece.needed(Rule::spec_kind).text() {
            "invariant" => SpecKind::Invariant,
            "forbid" => SpecKind::Forbid,
            _ => SpecKind::Finally,
        };
        Spec {
            kind,
            name: piece.part(Rule::name).map(|piece| name(&piece)),
            cond: self.guard(piece),
        }
    }

    /// The condition of a piece that has one.
    pub(super) fn guard(&mut self, piece: &Piece<'_>) -> Cond {
        self.cond(&piece.needed(Rule::expr))
    }

    /// The statement of a piece without a block; `None` for other pieces.
    pub(super) fn simple(&mut self, piece: &Piece<'_>) -> Option<StmtKind> {
        Some(match piece.rule() {
            Rule::assign => self.assign(piece),
            Rule::append => StmtKind::Append(own_name(piece), self.values(piece)),
            Rule::pop => StmtKind::Pop(own_name(piece)),
            Rule::fence => StmtKind::Fence,
            Rule::optional_fence => StmtKind::OptionalFence(own_name(piece)),
            Rule::skip => StmtKind::Skip,
            Rule::break_ => StmtKind::Break,
            Rule::continue_ => StmtKind::Continue,
            Rule::goto => StmtKind::Goto(own_name(piece)),
            Rule::assume => StmtKind::Assume(self.guard(piece)),
            Rule::assert => StmtKind::Assert(self.guard(piece), message(piece)),
            _ => return None,
        })
    }

    /// The values that an `append` lists.
    fn values(&mut self, piece: &Piece<'_>) -> Vec<Expr> {
        piece
            .all(Rule::expr)
            .map(|value| self.expr(&value))
            .collect()
    }

    /// `fifo b;` or `fifo b { X, Y };`, without what stands around it.
    pub(super) fn fifo(&mut self, piece: &Piece<'_>) -> (Name, Vec<Name>) {
        let fields = piece.part(Rule::fields);
        let fields = fields.iter().flat_map(|fields| fields.all(Rule::name));
        (own_name(piece), fields.map(|field| name(&field)).collect())
    }

    fn assign(&mut self, piece: &Piece<'_>) -> StmtKind {
        let Some(target) = self.place(&piece.needed(Rule::reference)) else {
            return StmtKind::Skip;
        };
        let rhs = piece.parts().find_map(|part| self.rhs(&part));
        StmtKind::Assign(target, rhs.expect("the grammar requires a right-hand side"))
    }

    fn rhs(&mut self, piece: &Piece<'_>) -> Option<Rhs> {
        if piece.rule() == Rule::expr {
            return Some(match self.expr_or_any(piece) {
                Ok(expr) => Rhs::Expr(expr),
                Err(span) => Rhs::Any(span),
            });
        }
        if piece.rule() == Rule::choose {
            let mut ends = piece.all(Rule::expr).map(|end| self.expr(&end));
            return Some(Rhs::Choose(ends.next()?, ends.next()?));
        }
        if !matches!(piece.rule(), Rule::cas | Rule::swap | Rule::fetch_add) {
            return None;
        }
        let place = self.place(&piece.needed(Rule::reference));
        let mut arguments = piece.all(Rule::expr).map(|argument| self.expr(&argument));
        let first = arguments
            .next()
            .expect("atomic operations have an argument");
        Some(match (piece.rule(), place, arguments.next()) {
            (_, None, _) => Rhs::Expr(first),
            (Rule::swap, Some(place), _) => Rhs::Swap(place, first),
            (Rule::fetch_add, Some(place), _) => Rhs::FetchAdd(place, first),
            (_, Some(place), second) => cas(place, first, second),
        })
    }
}

fn cas(place: Place, expected: Expr, new: Option<Expr>) -> Rhs {
    Rhs::Cas(place, expected, new.expect("cas has two arguments"))
}

/// Whether a piece is the smallest number.
fn is_smallest(piece: &Piece<'_>) -> bool {
    piece.text().trim_end().parse() == Ok(i64::MIN)
}

fn own_name(piece: &Piece<'_>) -> Name {
    name(&piece.needed(Rule::name))
}

/// The message of an assertion without its quotes.
fn message(piece: &Piece<'_>) -> Option<String> {
    let text = piece.part(Rule::string)?;
    Some(text.text().trim_matches('"').to_owned())
}

fn too_large(piece: &Piece<'_>) -> Diagnostic {
    Diagnostic::error(
        "this number is too large",
        piece.span(),
        "numbers in programs fit in 64 bits",
    )
    .with_note(format!("the largest is {}", i64::MAX))
}
