//! Bytes for a stored state.

#![expect(
    clippy::print_stdout,
    reason = "the figures are the report of the test"
)]

#[path = "../../benches/workload/mod.rs"]
mod workload;

use boolprog_checker::check;

#[test]
fn a_state_of_forty_variables_and_two_threads_needs_at_most_64_bytes() {
    let stats = check(&workload::program(40, 2), &workload::options(20_000)).stats;
    assert!(stats.states >= 20_000);
    let bytes = (stats.memory_bytes - stats.table_bytes) / stats.states;
    println!(
        "{bytes} bytes a state, {} more in the hash table",
        stats.table_bytes / stats.states
    );
    assert!(bytes <= 64, "{bytes}");
}
