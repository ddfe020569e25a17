//! Which locations control can go round through: the strongly connected components of the graph of
//! locations, by Tarjan's algorithm, without recursion.

use super::{Edge, LocId, Machine};

const UNSEEN: u32 = u32::MAX;

/// A number for each location, the same for those that control can go round through.
pub(super) fn scc(machine: &Machine) -> Vec<u32> {
    let count = machine.locations.len();
    let (mut order, mut least) = (vec![UNSEEN; count], vec![UNSEEN; count]);
    let mut circle = vec![UNSEEN; count];
    let (mut next, mut open) = (0, Vec::new());
    for root in 0..count {
        // Locations on the way, each with its next edge.
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((at, edge)) = way.pop() {
            if edge == 0 {
                if order[at] != UNSEEN {
                    continue;
                }
                (order[at], least[at]) = (next, next);
                next += 1;
                open.push(at);
            }
            let edges = &machine.locations[at].edges;
            if let Some(last) = edge.checked_sub(1)
                && let Some(seen) = seen_circle(&edges[last], &circle)
            {
                least[at] = least[at].min(least[seen]);
            }
            if let Some(step) = edges.get(edge) {
                way.push((at, edge + 1));
                if step.target != LocId::ENDED {
                    way.push((step.target.index(), 0));
                }
            } else if least[at] == order[at] {
                let from = open.iter().rposition(|&other| other == at);
                for member in open.drain(from.expect("it is open")..) {
                    circle[member] = order[at];
                }
            }
        }
    }
    circle
}

/// The location behind an edge, if its circle is not known yet.
fn seen_circle(edge: &Edge, circle: &[u32]) -> Option<usize> {
    let target = edge.target;
    (target != LocId::ENDED && circle[target.index()] == UNSEEN).then(|| target.index())
}
