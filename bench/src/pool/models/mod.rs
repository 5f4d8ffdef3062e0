//! Policies of allocators that cannot be linked here, written from their descriptions.

pub(crate) mod caching;
pub(crate) mod rmm;

#[cfg(test)]
mod caching_tests;
