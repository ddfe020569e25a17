//! Which line of the source a step of an exported program stands for, as the text of a comment.

use crate::memory::Model;
use crate::program::{Edge, EdgeId, Program, PropertyId, PropertyKind};
use crate::reduce::Origin;
use crate::source::Span;

use super::Exported;

impl Exported<'_> {
    /// `line 13: flag0 = 1;`, or what else the step is.
    pub(super) fn comment(self, id: EdgeId) -> String {
        let source = &self.reduction.source;
        let comment = match self.origin(id) {
            Origin::Statement(step) | Origin::Further(step) => self.statement(step),
            Origin::Bounds(step) => format!("{}, its indices", self.statement(step)),
            Origin::Overflow(step) => format!("{}, with a full buffer", self.statement(step)),
            Origin::Flush { thread, var } => {
                let thread = &source.threads[thread.index()].display_name;
                format!(
                    "a store of {thread} to {} reaches memory",
                    source.var_display_name(var)
                )
            }
            Origin::FlushOldest(thread) => {
                let thread = &source.threads[thread.index()].display_name;
                format!("the oldest store of {thread} reaches memory")
            }
            Origin::Flushing => "a flush".to_owned(),
        };
        one_comment(&comment)
    }

    /// The same for a step of the source.
    pub(super) fn source_comment(self, id: EdgeId) -> String {
        one_comment(&self.statement(id))
    }

    /// Where the step stands in the source.
    pub(super) fn span(self, id: EdgeId) -> Option<Span> {
        let source = &self.reduction.source;
        match self.origin(id) {
            Origin::Statement(step)
            | Origin::Further(step)
            | Origin::Bounds(step)
            | Origin::Overflow(step) => Some(source.statement(source.edge(step).stmt).span),
            Origin::Flush { .. } | Origin::FlushOldest(_) | Origin::Flushing => None,
        }
    }

    /// `forbid mutex, line 40`, for a property of the exported program.
    pub(super) fn property(self, id: PropertyId) -> String {
        let program = self.program();
        let property = program.property(id);
        if property.kind == PropertyKind::Overflow {
            return "a full buffer: k is too small".to_owned();
        }
        let named = |program: &Program, id: PropertyId| {
            let property = program.property(id);
            let line = self.file.line(program.statement(property.stmt).span.start);
            let text = format!(
                "{} {}, line {line}",
                property.kind.words(),
                property.name_text()
            );
            one_comment(&text)
        };
        match self.reduction.model() {
            Model::Sc => named(program, id),
            Model::Tso | Model::Pso => match self.reduction.source_property(id) {
                Some(of_source) => named(&self.reduction.source, of_source),
                None => property.kind.words().to_owned(),
            },
        }
    }

    fn origin(self, id: EdgeId) -> Origin {
        match self.reduction.model() {
            Model::Sc => Origin::Statement(id),
            Model::Tso | Model::Pso => self.reduction.origin(id),
        }
    }

    fn statement(self, step: EdgeId) -> String {
        let source = &self.reduction.source;
        let Edge { stmt, branch, .. } = source.edge(step);
        let statement = source.statement(*stmt);
        let line = self.file.line(statement.span.start);
        let way = match branch {
            Some(branch) if branch.taken => " holds",
            Some(_) => " does not hold",
            None => "",
        };
        format!("line {line}: {}{way}", statement.text)
    }
}

/// A text that ends no comment and begins no other one.
fn one_comment(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace(['\n', '\r'], " ")
}
