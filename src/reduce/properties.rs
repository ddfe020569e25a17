//! Which property of the source each property of a reduced program is.
//!
//! A property of a step is one of the step of the source that it comes from; specs keep their order.

use super::origin::{Origin, Origins};
use crate::program::{Action, BoundsCheck, Edge, EdgeId, Program, PropertyId};

/// The source's property for each property of the reduced program; `None` for overflow checks that
/// the source does not have.
pub(super) fn source_properties(
    source: &Program,
    reduced: &Program,
    origins: &Origins,
) -> Vec<Option<PropertyId>> {
    let mut links = vec![None; reduced.properties.len()];
    for id in reduced.edge_ids() {
        let of = source_edge(source, origins.of(id));
        let edge = reduced.edge(id);
        if let Some(bounds) = &edge.bounds {
            links[bounds.property.index()] = of.and_then(bounds_of);
        }
        if let Action::Assert(_, property) = edge.action {
            // A statement that is translated checks its indices by an assertion.
            links[property.index()] = of.and_then(|of| asserted_by(of).or(bounds_of(of)));
        }
    }
    for (of, from) in source.specs.iter().zip(&reduced.specs) {
        links[from.property.index()] = Some(of.property);
        if let (Some(of), Some(from)) = (&of.bounds, &from.bounds) {
            links[from.property.index()] = Some(of.property);
        }
    }
    links
}

/// The step of the source that a step stands for; the report of a full buffer stands for none.
fn source_edge(source: &Program, origin: Origin) -> Option<&Edge> {
    let edge: EdgeId = match origin {
        Origin::Statement(edge) | Origin::Further(edge) | Origin::Bounds(edge) => edge,
        Origin::Overflow(_) | Origin::Flush { .. } | Origin::FlushOldest(_) | Origin::Flushing => {
            return None;
        }
    };
    Some(source.edge(edge))
}

fn asserted_by(edge: &Edge) -> Option<PropertyId> {
    match edge.action {
        Action::Assert(_, property) => Some(property),
        _ => None,
    }
}

fn bounds_of(edge: &Edge) -> Option<PropertyId> {
    edge.bounds
        .as_ref()
        .map(|bounds: &BoundsCheck| bounds.property)
}

#[cfg(test)]
mod tests {
    use indexmap::IndexSet;

    use super::*;
    use crate::front::cup;
    use crate::memory::{BufferSizes, Model};
    use crate::program::PropertyKind;
    use crate::reduce::{Flush, ReduceConfig, Reduction, reduce};
    use crate::source::SourceFile;

    #[test]
    fn every_property_is_one_of_the_source_or_an_overflow() {
        let text = "shared x, a[2];
            thread P[2] {
                local i, r;
                a[i] = 1; r = a[i]; a[r] = i;
                atomic { x = 1; assert(r == 1, \"one\"); assert(a[i] == 1); }
                if (r == 1) { assert(*); }
            }
            invariant small: x < 2; forbid a[P[0].i] == 7; finally x == 1;";
        let file = SourceFile::new("test.cup", text);
        let checked = cup::load(&file).expect("well-formed");
        for model in Model::ALL {
            for flush in [Flush::Background, Flush::Inline] {
                let config = ReduceConfig {
                    model,
                    sizes: BufferSizes::ONE,
                    fences: IndexSet::new(),
                    flush,
                };
                check(&reduce(&file, &checked, &config).expect("no background blocks"));
            }
        }
    }

    #[track_caller]
    fn check(reduction: &Reduction) {
        let (source, reduced) = (&reduction.source, &reduction.program);
        let ids = (0..reduced.properties.len()).map(PropertyId::new);
        let links: Vec<_> = ids.map(|id| reduction.source_property(id)).collect();
        for (property, link) in reduced.properties.iter().zip(&links) {
            let linked = link.map(|id| source.property(id));
            match (property.kind, linked) {
                (PropertyKind::Overflow, None) => {}
                (_, Some(linked)) => {
                    assert_eq!(property.name, linked.name);
                    assert_eq!(property.span, linked.span);
                }
                (_, None) => panic!("{property:?} is no property of the source"),
            }
        }
        let reached: IndexSet<PropertyId> = links.into_iter().flatten().collect();
        assert_eq!(reached.len(), source.properties.len());
    }
}
