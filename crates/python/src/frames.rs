//! Where in the script a call came from.
pub(crate) fn provide() {}
pub(crate) struct Remembered;
pub(crate) fn remember() -> Remembered {
    Remembered
}
