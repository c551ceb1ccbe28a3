//! The #[kernel] attribute and its companions for warploom
