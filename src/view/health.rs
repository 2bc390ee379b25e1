/// The one vocabulary of states on all pages; each has a colour and an icon of its own shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    Error,
    Warning,
    #[default]
    Unknown,
    Progressing,
    Ok,
    Terminated,
}

impl Health {
    /// The name in class names and for screen readers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Unknown => "unknown",
            Self::Progressing => "progressing",
            Self::Ok => "ok",
            Self::Terminated => "terminated",
        }
    }
}
