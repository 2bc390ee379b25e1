use leptos::prelude::*;

use super::Session;

const THEME_KEY: &str = "watchglass.theme";
const DENSITY_KEY: &str = "watchglass.density";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Density {
    #[default]
    Compact,
    Comfortable,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::System => "As the system",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// The name in storage and in `html[data-theme]`; empty for the system's.
    const fn as_str(self) -> &'static str {
        match self {
            Self::System => "",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Density {
    pub(crate) const ALL: [Self; 2] = [Self::Compact, Self::Comfortable];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Compact => "Compact",
            Self::Comfortable => "Comfortable",
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Compact => "",
            Self::Comfortable => "comfortable",
        }
    }

    /// A row's height in CSS pixels, as `--row-height` in tokens.css has it.
    pub(crate) const fn row_height(self) -> f64 {
        match self {
            Self::Compact => 28.0,
            Self::Comfortable => 36.0,
        }
    }
}

/// Theme and density, kept in the browser. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Appearance {
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) density: RwSignal<Density>,
}

impl Appearance {
    pub(crate) fn new(session: Session) -> Self {
        let storage = session.storage();
        let stored = |key: &str| storage.get(key).unwrap_or_default();
        let (theme, density) = (stored(THEME_KEY), stored(DENSITY_KEY));
        let theme = Theme::ALL.into_iter().find(|it| it.as_str() == theme).unwrap_or_default();
        let density = Density::ALL.into_iter().find(|it| it.as_str() == density).unwrap_or_default();
        let (theme, density) = (RwSignal::new(theme), RwSignal::new(density));
        Effect::new(move |_| apply(session, "data-theme", THEME_KEY, theme.get().as_str()));
        Effect::new(move |_| apply(session, "data-density", DENSITY_KEY, density.get().as_str()));
        Self { theme, density }
    }
}

fn apply(session: Session, attribute: &str, key: &str, value: &str) {
    session.storage().set(key, value);
    let root = web_sys::window().and_then(|window| window.document()?.document_element());
    if let Some(root) = root {
        // Fails for an invalid attribute's name only.
        let _ = match value {
            "" => root.remove_attribute(attribute),
            value => root.set_attribute(attribute, value),
        };
    }
}
