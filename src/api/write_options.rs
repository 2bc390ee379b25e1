use super::query::Query;

/// What the server does with fields of a body that it does not know, or that stand there twice
/// (`metav1.FieldValidationIgnore` and its siblings).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Drops them without a word.
    Ignore,
    /// Drops them, and says so in a warning.
    Warn,
    /// Refuses the request.
    Strict,
}

impl FieldValidation {
    fn text(this: Option<Self>) -> &'static str {
        match this {
            Some(Self::Ignore) => "Ignore",
            Some(Self::Warn) => "Warn",
            Some(Self::Strict) => "Strict",
            None => "",
        }
    }
}

/// How one object is read (`metav1.GetOptions`); what is empty is not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetOptions {
    /// Not older than this. `0` allows whatever the server's cache holds.
    pub resource_version: String,
}

impl GetOptions {
    /// The query without its `?`.
    pub fn to_query(&self) -> String {
        Query::default().text("resourceVersion", &self.resource_version).finish()
    }
}

/// How an object is created (`metav1.CreateOptions`); what is empty is not sent, and the server decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreateOptions {
    /// Goes through all checks, and stores nothing.
    pub dry_run: bool,
    /// Who changes the object, as `managedFields` will name them.
    pub field_manager: String,
    pub field_validation: Option<FieldValidation>,
}

impl CreateOptions {
    /// The query without its `?`.
    pub fn to_query(&self) -> String {
        written(self.dry_run, &self.field_manager, self.field_validation).finish()
    }
}

/// How an object is replaced (`metav1.UpdateOptions`), which is as one is created.
pub type UpdateOptions = CreateOptions;

/// How an object is changed by a patch (`metav1.PatchOptions`); what is empty is not sent, and the server decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchOptions {
    /// Goes through all checks, and stores nothing.
    pub dry_run: bool,
    /// Who changes the object, as `managedFields` will name them; [`Patch::Apply`](super::Patch::Apply) needs it.
    pub field_manager: String,
    pub field_validation: Option<FieldValidation>,
    /// Take fields over that belong to others; for [`Patch::Apply`](super::Patch::Apply) only.
    pub force: Option<bool>,
}

impl PatchOptions {
    /// The query without its `?`.
    pub fn to_query(&self) -> String {
        written(self.dry_run, &self.field_manager, self.field_validation).choice("force", self.force).finish()
    }
}

/// How an object is applied (`metav1.ApplyOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplyOptions {
    /// Goes through all checks, and stores nothing.
    pub dry_run: bool,
    /// Who owns what is applied. Needed.
    pub field_manager: String,
    /// Take fields over that belong to others, instead of failing with a conflict.
    pub force: bool,
}

impl From<&ApplyOptions> for PatchOptions {
    fn from(options: &ApplyOptions) -> Self {
        let ApplyOptions { dry_run, field_manager, force } = options;
        Self { dry_run: *dry_run, field_manager: field_manager.clone(), force: Some(*force), field_validation: None }
    }
}

fn written(dry_run: bool, field_manager: &str, field_validation: Option<FieldValidation>) -> Query {
    let validation = FieldValidation::text(field_validation);
    Query::default().dry_run(dry_run).text("fieldManager", field_manager).text("fieldValidation", validation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_sent_and_nothing_else() {
        assert_eq!(CreateOptions::default().to_query() + &PatchOptions::default().to_query(), "");
        assert_eq!(GetOptions { resource_version: "0".into() }.to_query(), "resourceVersion=0");
        let options = CreateOptions {
            dry_run: true,
            field_manager: "a b".into(),
            field_validation: Some(FieldValidation::Strict),
        };
        assert_eq!(options.to_query(), "dryRun=All&fieldManager=a%20b&fieldValidation=Strict");
        let apply = ApplyOptions { field_manager: "me".into(), force: true, dry_run: false };
        assert_eq!(PatchOptions::from(&apply).to_query(), "fieldManager=me&force=true");
    }
}
