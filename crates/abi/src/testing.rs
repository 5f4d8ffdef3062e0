//! `millpond/testing.h`: for test suites.

enums! {
    /// How far a reset goes.
    millpondResetLevel {
        MILLPOND_RESET_TESTING = 0,
        MILLPOND_RESET_DEVICES = 1,
        MILLPOND_RESET_ALL = 2,
    }

    /// How time passes.
    millpondTimeMode {
        MILLPOND_TIME_REAL = 0,
        MILLPOND_TIME_VIRTUAL = 1,
        MILLPOND_TIME_MANUAL = 2,
    }
}
