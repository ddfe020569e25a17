//! The cone of influence: the predicates that can say something about a formula.
//!
//! A literal of a minimal consistent cube that implies a formula is connected with the formula: by
//! a variable that both mention, or through other literals. So predicates outside the formula's
//! cone need not be searched.

use indexmap::IndexSet;

use crate::logic::axioms::Axioms;
use crate::logic::{Formula, Predicate, PredicateId, Symbol};

/// The symbols of every predicate, computed once.
pub struct Connections {
    symbols: Vec<IndexSet<Symbol>>,
    /// What axioms about variables alone connect. Those about facts connect nothing beyond a fact's own symbols.
    links: Vec<IndexSet<Symbol>>,
}

impl Connections {
    /// The connections of a list of predicates, where some axioms hold in every state.
    pub fn new(predicates: &[Predicate], axioms: &Axioms) -> Self {
        let symbols = predicates.iter().map(|p| p.formula.symbols()).collect();
        let links = axioms.all().map(Formula::symbols);
        let is_plain = |symbol: &Symbol| !matches!(symbol, Symbol::Fact(_));
        let links = links.filter(|symbols| symbols.iter().all(is_plain));
        Connections {
            symbols,
            links: links.collect(),
        }
    }

    /// The predicates in the cone of `formula`, in order.
    pub fn cone(&self, formula: &Formula) -> Vec<PredicateId> {
        self.reach(formula.symbols())
    }

    /// The connected components of the predicates, in the order of their first members.
    pub fn components(&self) -> Vec<Vec<PredicateId>> {
        let mut seen = vec![false; self.symbols.len()];
        let mut components = Vec::new();
        for index in 0..self.symbols.len() {
            if seen[index] {
                continue;
            }
            let mut component = self.reach(self.symbols[index].clone());
            if component.is_empty() {
                component.push(PredicateId::new(index));
            }
            component.iter().for_each(|id| seen[id.index()] = true);
            components.push(component);
        }
        components
    }

    fn reach(&self, mut symbols: IndexSet<Symbol>) -> Vec<PredicateId> {
        let mut inside = vec![false; self.symbols.len()];
        let mut linked = vec![false; self.links.len()];
        loop {
            for (link, linked) in self.links.iter().zip(&mut linked) {
                if !*linked && !symbols.is_disjoint(link) {
                    *linked = true;
                    symbols.extend(link.iter().cloned());
                }
            }
            let joining = (0..inside.len())
                .filter(|&index| !inside[index] && !symbols.is_disjoint(&self.symbols[index]));
            let joining: Vec<usize> = joining.collect();
            if joining.is_empty() {
                break;
            }
            for index in joining {
                inside[index] = true;
                symbols.extend(self.symbols[index].iter().cloned());
            }
        }
        let indices = (0..inside.len()).filter(|&index| inside[index]);
        indices.map(PredicateId::new).collect()
    }
}
