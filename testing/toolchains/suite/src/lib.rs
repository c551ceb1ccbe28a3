//! A library without content: a package has at least one target that is no test.
