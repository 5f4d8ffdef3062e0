//! The functions of the table, one file for each module. All but this file is generated.
#![allow(
    unused_imports,
    clippy::many_single_char_names,
    clippy::too_many_arguments,
    reason = "generated: all files begin alike, and names are those of the headers"
)]

pub(crate) mod acl;
pub(crate) mod blas;
pub(crate) mod c;
pub(crate) mod mdl;
pub(crate) mod media;
pub(crate) mod millpond;
pub(crate) mod op;
pub(crate) mod prof;
pub(crate) mod rt;

use crate::methods::{END, Methods, fill as fill_module, submodule};
use crate::object::{Owned, Raised};

/// `acl.util` is filled by Python.
static NONE: Methods<1> = Methods([END]);

/// Puts everything into the module.
pub(crate) fn fill(module: &Owned) -> Result<(), Raised> {
    fill_module(module, &acl::METHODS)?;
    submodule(module, c"rt", c"acl.rt", &rt::METHODS)?;
    submodule(module, c"mdl", c"acl.mdl", &mdl::METHODS)?;
    submodule(module, c"op", c"acl.op", &op::METHODS)?;
    submodule(module, c"blas", c"acl.blas", &blas::METHODS)?;
    submodule(module, c"media", c"acl.media", &media::METHODS)?;
    submodule(module, c"prof", c"acl.prof", &prof::METHODS)?;
    submodule(module, c"util", c"acl.util", &NONE)?;
    submodule(
        module,
        c"_millpond",
        c"acl._acl._millpond",
        &millpond::METHODS,
    )?;
    Ok(())
}
