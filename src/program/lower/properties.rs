//! Collects the table of properties.
//!
//! Statements and specs declare their properties while they are lowered. What cannot be reached is dropped
//! from the graphs, so a thread's properties are numbered behind that, in the order of its locations. The
//! texts of conditions need all names, so they come last.

use std::collections::BTreeMap;

use crate::front::cup::ast::Span;
use crate::program::{
    Action, BoundsCheck, Cond, Edge, Location, Program, Property, PropertyId, PropertyKind, StmtId,
    cond_text,
};

use super::expr::Bounds;

/// Properties without their texts.
#[derive(Default)]
pub(super) struct Declared(Vec<Declaration>);

#[derive(Clone)]
struct Declaration {
    kind: PropertyKind,
    name: Option<String>,
    site: (Span, StmtId),
}

impl Declared {
    /// Adds a property of what stands at `site`.
    pub(super) fn add(
        &mut self,
        kind: PropertyKind,
        name: Option<&str>,
        site: (Span, StmtId),
    ) -> PropertyId {
        self.0.push(Declaration {
            kind,
            name: name.map(str::to_owned),
            site,
        });
        PropertyId::new(self.0.len() - 1)
    }

    /// Adds the property that the indices of what stands at `site` are in range.
    pub(super) fn add_bounds(
        &mut self,
        bounds: Bounds,
        site: (Span, StmtId),
    ) -> Option<BoundsCheck> {
        let check = |cond| BoundsCheck {
            cond,
            property: self.add(PropertyKind::Bounds, Some("bounds"), site),
        };
        bounds.map(check)
    }

    /// Adds the properties of a thread that its locations refer to, which get their new ids.
    pub(super) fn add_thread(&mut self, of_thread: &Declared, locations: &mut [Location]) {
        let mut ids = BTreeMap::new();
        let edges = locations.iter_mut().flat_map(|l| &mut l.edges);
        for id in edges.flat_map(property_ids) {
            *id = *ids.entry(*id).or_insert_with(|| {
                self.0.push(of_thread.0[id.index()].clone());
                PropertyId::new(self.0.len() - 1)
            });
        }
    }

    /// The table for the program that refers to these properties.
    pub(super) fn into_table(self, program: &Program) -> Vec<Property> {
        let conds = conditions(program);
        let properties = self.0.into_iter().enumerate();
        properties
            .map(|(index, declared)| Property {
                kind: declared.kind,
                name: declared.name,
                span: declared.site.0,
                stmt: declared.site.1,
                text: cond_text(program, conds[&PropertyId::new(index)]),
            })
            .collect()
    }
}

/// The ids of properties in an edge.
fn property_ids(edge: &mut Edge) -> impl Iterator<Item = &mut PropertyId> {
    let bounds = edge.bounds.as_mut().map(|bounds| &mut bounds.property);
    let asserted = match &mut edge.action {
        Action::Assert(_, property) => Some(property),
        _ => None,
    };
    bounds.into_iter().chain(asserted)
}

/// The conditions of all properties.
fn conditions(program: &Program) -> BTreeMap<PropertyId, &Cond> {
    let mut conds = BTreeMap::new();
    let locations = program.threads.iter().flat_map(|thread| &thread.locations);
    for edge in locations.flat_map(|location| &location.edges) {
        if let Action::Assert(cond, property) = &edge.action {
            conds.insert(*property, cond);
        }
        let bounds = edge.bounds.iter();
        conds.extend(bounds.map(|bounds| (bounds.property, &bounds.cond)));
    }
    for spec in &program.specs {
        conds.insert(spec.property, &spec.cond);
        let bounds = spec.bounds.iter();
        conds.extend(bounds.map(|bounds| (bounds.property, &bounds.cond)));
    }
    conds
}
