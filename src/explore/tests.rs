//! Tests of the explorer.
