//! How pixels are stored. The numbers are those of `acldvppPixelFormat`.

/// How many luma samples share a chroma sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// One: 4:4:4.
    Full,
    /// Two in a row: 4:2:2.
    Half,
    /// Two in a column: 4:4:0.
    Tall,
    /// Two by two: 4:2:0.
    Quarter,
}

impl Sampling {
    /// Columns and rows of luma samples for each chroma sample.
    pub const fn step(self) -> (usize, usize) {
        match self {
            Self::Full => (1, 1),
            Self::Half => (2, 1),
            Self::Tall => (1, 2),
            Self::Quarter => (2, 2),
        }
    }
}

/// What the samples of a picture mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Brightness only.
    Gray,
    /// Brightness and two colour differences.
    Yuv(Sampling),
    /// Red, green and blue.
    Rgb,
}

/// How the samples of a picture are ordered in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// One plane.
    Gray,
    /// A plane of Y, then one with pairs of U and V; V first if the flag says so.
    SemiPlanar(Sampling, bool),
    /// Two pixels in four bytes; the places of Y, U, Y and V in them.
    Packed422([usize; 4]),
    /// All samples of a pixel together: how many bytes, and the places of the three samples in them.
    Pixels(usize, [usize; 3], bool),
}

macro_rules! formats {
    ($($number:literal $name:ident $text:literal $packing:expr;)*) => {
        /// A pixel format that can be processed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "named as in the manual")]
        pub enum Format { $($name = $number),* }

        impl Format {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The format with this number of `acldvppPixelFormat`.
            pub const fn from_number(number: i32) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// How its samples are ordered.
            pub const fn packing(self) -> Packing {
                use Packing::{Gray, Packed422, Pixels, SemiPlanar};
                use Sampling::{Full, Half, Quarter};
                match self { $(Self::$name => $packing),* }
            }
        }
    };
}
formats! {
    0 Yuv400 "YUV400" Gray;
    1 Yuv420Sp "YUV420SP (NV12)" SemiPlanar(Quarter, false);
    2 Yvu420Sp "YVU420SP (NV21)" SemiPlanar(Quarter, true);
    3 Yuv422Sp "YUV422SP" SemiPlanar(Half, false);
    4 Yvu422Sp "YVU422SP" SemiPlanar(Half, true);
    5 Yuv444Sp "YUV444SP" SemiPlanar(Full, false);
    6 Yvu444Sp "YVU444SP" SemiPlanar(Full, true);
    7 Yuyv "YUYV" Packed422([0, 1, 2, 3]);
    8 Uyvy "UYVY" Packed422([1, 0, 3, 2]);
    9 Yvyu "YVYU" Packed422([0, 3, 2, 1]);
    10 Vyuy "VYUY" Packed422([1, 2, 3, 0]);
    11 Yuv444 "YUV444 packed" Pixels(3, [0, 1, 2], false);
    12 Rgb888 "RGB888" Pixels(3, [0, 1, 2], true);
    13 Bgr888 "BGR888" Pixels(3, [2, 1, 0], true);
    14 Argb8888 "ARGB8888" Pixels(4, [1, 2, 3], true);
    15 Abgr8888 "ABGR8888" Pixels(4, [3, 2, 1], true);
    16 Rgba8888 "RGBA8888" Pixels(4, [0, 1, 2], true);
    17 Bgra8888 "BGRA8888" Pixels(4, [2, 1, 0], true);
}

impl Format {
    /// What its samples mean.
    pub const fn family(self) -> Family {
        match self.packing() {
            Packing::Gray => Family::Gray,
            Packing::SemiPlanar(sampling, _) => Family::Yuv(sampling),
            Packing::Packed422(_) => Family::Yuv(Sampling::Half),
            Packing::Pixels(_, _, true) => Family::Rgb,
            Packing::Pixels(_, _, false) => Family::Yuv(Sampling::Full),
        }
    }

    /// Bytes of a row of the first plane, for each pixel.
    pub const fn bytes_per_pixel(self) -> usize {
        match self.packing() {
            Packing::Gray | Packing::SemiPlanar(..) => 1,
            Packing::Packed422(_) => 2,
            Packing::Pixels(bytes, ..) => bytes,
        }
    }

    /// The place of a sample that has no meaning to us (alpha).
    pub(crate) const fn unused(self) -> Option<usize> {
        match self {
            Self::Argb8888 | Self::Abgr8888 => Some(0),
            Self::Rgba8888 | Self::Bgra8888 => Some(3),
            _ => None,
        }
    }
}
