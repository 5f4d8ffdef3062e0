//! How text looks: colours, characters, paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use millpond_check::Severity;

use crate::clean::clean;

/// A user's wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// In colour.
    Always,
    /// Without.
    Never,
    /// In colour on a terminal, unless the environment says no.
    #[default]
    Auto,
}

impl Colour {
    /// Reads `always`, `never` or `auto`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }
}

/// How text looks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// With escape codes.
    pub colour: bool,
    /// With lines drawn by characters that need UTF-8.
    pub unicode: bool,
    /// Files below this folder are shown relative to it.
    pub folder: Option<PathBuf>,
}

impl Style {
    /// Without colours, for files and tests.
    pub fn plain() -> Self {
        Self {
            unicode: true,
            ..Self::default()
        }
    }

    /// By the environment and whether the text goes to a terminal. `NO_COLOR` and `TERM=dumb` are
    /// respected; drawn lines need a locale with UTF-8.
    pub fn of_environment(wish: Colour, terminal: bool) -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let locale = locale.unwrap_or_default().to_string_lossy().to_uppercase();
        Self {
            colour: match wish {
                Colour::Always => true,
                Colour::Never => false,
                Colour::Auto => terminal && !dumb && set("NO_COLOR").is_none(),
            },
            unicode: locale.contains("UTF-8") || locale.contains("UTF8"),
            folder: std::env::current_dir().ok(),
        }
    }

    pub(crate) fn paint(&self, ink: Ink, text: &str) -> String {
        let text = clean(text);
        if !self.colour || text.is_empty() {
            return text.into_owned();
        }
        format!("\u{1b}[{}m{text}\u{1b}[0m", ink.code())
    }

    /// One of two: drawn, or what every terminal has.
    pub(crate) fn draw(&self, drawn: &'static str, plain: &'static str) -> &'static str {
        if self.unicode { drawn } else { plain }
    }

    /// A path as it is shown.
    pub(crate) fn path<'a>(&self, file: &'a str) -> Cow<'a, str> {
        let below = self
            .folder
            .as_deref()
            .filter(|folder| *folder != Path::new("/"))
            .and_then(|folder| Path::new(file).strip_prefix(folder).ok());
        match below.and_then(Path::to_str) {
            Some(below) if !below.is_empty() => Cow::Borrowed(below),
            _ => Cow::Borrowed(file),
        }
    }
}

/// What a piece of text is, which gives its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The word of a severity.
    Severity(Severity),
    /// What catches the eye.
    Strong,
    /// A place in a file.
    Place,
    /// A label in the margin, and lines.
    Margin,
    /// What is only there when it is looked for.
    Faint,
    /// What is missing.
    Missing,
    /// What to do.
    Advice,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Severity(Severity::Error) | Self::Missing => "1;31",
            Self::Severity(Severity::Warning) => "1;33",
            Self::Severity(Severity::Hint) => "1;36",
            Self::Strong => "1",
            Self::Place => "36",
            Self::Margin => "34",
            Self::Faint => "2",
            Self::Advice => "32",
        }
    }
}
