//! Concurrent boolean programs: syntax, printer and a three-valued model checker.
