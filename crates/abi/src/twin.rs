//! The macros that the modules are written with.
//!
//! Each one declares the C names and, beside them, a list of what it declared. The lists are what
//! the tests compare with the C compiler, and because a name is written once they cannot forget it.

/// Size, alignment and field offsets of a C struct or union, as Rust lays it out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The C name of the type.
    pub name: &'static str,
    /// Bytes of one value.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Fields in order, each with its offset and size. A name that Rust reserves reads `r#name`.
    pub fields: &'static [(&'static str, usize, usize)],
}

/// C enumerations: an alias of `c_int` and one constant per value, listed in `ENUMS`.
///
/// A C compiler may choose `unsigned int` for an enumeration without negative values. Both are four
/// bytes and passed alike, so one Rust type serves; a value that C may legally combine or invent is
/// then an ordinary integer.
macro_rules! enums {
    ($( $(#[$doc:meta])* $name:ident { $( $constant:ident = $value:expr, )* } )*) => {
        $(
            $(#[$doc])*
            pub type $name = ::core::ffi::c_int;
            $(
                #[allow(missing_docs, reason = "the comment on the type speaks for its values")]
                pub const $constant: $name = $value;
            )*
        )*
        pub(crate) const ENUMS: &[(&str, i128)] = &[$( $( (stringify!($constant), $value), )* )*];
    };
}

/// Macros with an integer value: one constant each, of the type its users want, listed in
/// `DEFINES`.
macro_rules! defines {
    ($( $type:ident { $( $constant:ident = $value:expr, )* } )*) => {
        $( $(
            #[allow(missing_docs, reason = "the header's comment speaks for the group")]
            pub const $constant: $type = $value;
        )* )*
        pub(crate) const DEFINES: &[(&str, i128)] = &[$( $( (stringify!($constant), $value), )* )*];
    };
}

/// Structs that C only ever holds by pointer.
macro_rules! opaque {
    ($( $(#[$doc:meta])* $name:ident )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

/// Structs with the layout of C, listed in `STRUCTS`.
macro_rules! structs {
    ($( $(#[$doc:meta])* $name:ident { $( $field:ident: $type:ty, )* } )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            #[allow(missing_docs, reason = "fields have the names of the C header")]
            pub struct $name {
                $( pub $field: $type, )*
            }
        )*
        pub(crate) const STRUCTS: &[$crate::Layout] = &[$( $crate::Layout {
            name: stringify!($name),
            size: ::core::mem::size_of::<$name>(),
            align: ::core::mem::align_of::<$name>(),
            fields: &[$( (
                stringify!($field),
                ::core::mem::offset_of!($name, $field),
                ::core::mem::size_of::<$type>(),
            ), )*],
        }, )*];
    };
}

/// Unions with the layout of C, listed in `UNIONS`.
macro_rules! unions {
    ($( $(#[$doc:meta])* $name:ident { $( $field:ident: $type:ty, )* } )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            #[allow(missing_docs, reason = "fields have the names of the C header")]
            pub union $name {
                $( pub $field: $type, )*
            }

            impl ::core::fmt::Debug for $name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(stringify!($name)).finish_non_exhaustive()
                }
            }
        )*
        pub(crate) const UNIONS: &[$crate::Layout] = &[$( $crate::Layout {
            name: stringify!($name),
            size: ::core::mem::size_of::<$name>(),
            align: ::core::mem::align_of::<$name>(),
            fields: &[$( (
                stringify!($field),
                ::core::mem::offset_of!($name, $field),
                ::core::mem::size_of::<$type>(),
            ), )*],
        }, )*];
    };
}
