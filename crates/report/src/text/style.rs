//! The style of text: colours, characters, paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use millpond_check::Severity;

use crate::clean::clean;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Always.
    Always,
    /// Never.
    Never,
    /// On a terminal, unless the environment forbids it.
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

/// The style of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// With escape codes.
    pub colour: bool,
    /// With box-drawing characters, which need UTF-8.
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

    /// The style for the environment, and for a terminal or not. `NO_COLOR` and `TERM=dumb` are respected; box-drawing
    /// characters need a UTF-8 locale.
    pub fn of_environment(choice: Colour, terminal: bool) -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let locale = locale.unwrap_or_default().to_string_lossy().to_uppercase();
        Self {
            colour: match choice {
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

    /// The box-drawing characters, or their ASCII replacement.
    pub(crate) fn draw(&self, drawn: &'static str, plain: &'static str) -> &'static str {
        if self.unicode { drawn } else { plain }
    }

    /// A path for display.
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

/// The role of a text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// A severity.
    Severity(Severity),
    /// Emphasis.
    Strong,
    /// File and line of a frame.
    Location,
    /// A label in the margin, and lines.
    Margin,
    /// Details.
    Faint,
    /// What is missing.
    Missing,
    /// Advice.
    Advice,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Severity(Severity::Error) | Self::Missing => "1;31",
            Self::Severity(Severity::Warning) => "1;33",
            Self::Severity(Severity::Hint) => "1;36",
            Self::Strong => "1",
            Self::Location => "36",
            Self::Margin => "34",
            Self::Faint => "2",
            Self::Advice => "32",
        }
    }
}
