//! The pool over the stand-in for the driver.
