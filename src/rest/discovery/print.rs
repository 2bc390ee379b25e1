use std::cmp::Ordering;

use super::resources::{ServerResources, extract_group_versions};
use crate::api::{ApiGroup, ApiResource, GroupVersion};

/// Which resources `kubectl api-resources` shows, and how (kubectl: `pkg/cmd/apiresources`, `APIResourceOptions`).
#[doc(alias = "APIResourceOptions")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiResourcesOptions {
    pub output: ApiResourcesOutput,
    pub no_headers: bool,
    /// Only this group's resources; the core group has the empty name.
    pub api_group: Option<String>,
    /// Only the resources that live in namespaces, or only the others.
    pub namespaced: Option<bool>,
    /// Only the resources that have all of these.
    pub verbs: Vec<String>,
    /// Only the resources that are in all of these.
    pub categories: Vec<String>,
    pub sort_by: SortBy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiResourcesOutput {
    #[default]
    Table,
    /// With verbs and categories.
    Wide,
    /// `deployments.apps`, one a line.
    Name,
}

/// What comes first; resources that are equal in it are in the order of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    #[default]
    Group,
    Name,
    Kind,
}

/// The preferred resources as `kubectl api-resources` prints them; empty when there are none
/// (kubectl: `pkg/cmd/apiresources/apiresources.go`, `RunAPIResources`).
#[doc(alias = "RunAPIResources")]
pub fn print_api_resources(preferred: &ServerResources, options: &ApiResourcesOptions) -> String {
    let lists = || preferred.resources.values().filter(|list| !list.resources.is_empty());
    if lists().next().is_none() {
        return String::new();
    }
    let mut shown: Vec<(&GroupVersion, &ApiResource)> =
        preferred.each_resource().filter(|(version, resource)| options.shows(version, resource)).collect();
    shown.sort_by(|a, b| options.sort_by.compare(a, b));
    if options.output == ApiResourcesOutput::Name {
        return shown.iter().map(|(version, resource)| name(version, resource) + "\n").collect();
    }
    let is_wide = options.output == ApiResourcesOutput::Wide;
    let mut lines = Vec::with_capacity(shown.len() + 1);
    if !options.no_headers {
        let headers = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"];
        lines.push(headers.map(str::to_owned));
    }
    lines.extend(shown.iter().map(|(version, resource)| cells(version, resource)));
    let columns = if is_wide { 7 } else { 5 };
    table(&lines.iter().map(|line| &line[..columns]).collect::<Vec<_>>())
}

/// The versions of all groups as `kubectl api-versions` prints them
/// (kubectl: `pkg/cmd/apiresources/apiversions.go`, `RunAPIVersions`).
#[doc(alias = "RunAPIVersions")]
pub fn print_api_versions(groups: &[ApiGroup]) -> String {
    let mut versions = extract_group_versions(groups);
    versions.sort();
    versions.iter().map(|version| version.clone() + "\n").collect()
}

impl ApiResourcesOptions {
    fn shows(&self, version: &GroupVersion, resource: &ApiResource) -> bool {
        let has_all = |wanted: &[String], there: &[String]| wanted.iter().all(|it| there.contains(it));
        !resource.verbs.is_empty()
            && self.api_group.as_ref().is_none_or(|group| *group == version.group)
            && self.namespaced.is_none_or(|namespaced| namespaced == resource.namespaced)
            && has_all(&self.verbs, &resource.verbs)
            && has_all(&self.categories, &resource.categories)
    }
}

impl SortBy {
    fn compare(self, a: &(&GroupVersion, &ApiResource), b: &(&GroupVersion, &ApiResource)) -> Ordering {
        let first = match self {
            Self::Group => a.0.group.cmp(&b.0.group),
            Self::Name => Ordering::Equal,
            Self::Kind => a.1.kind.cmp(&b.1.kind),
        };
        first.then_with(|| a.1.name.cmp(&b.1.name))
    }
}

fn name(version: &GroupVersion, resource: &ApiResource) -> String {
    match version.group.as_str() {
        "" => resource.name.clone(),
        group => format!("{}.{group}", resource.name),
    }
}

fn cells(version: &GroupVersion, resource: &ApiResource) -> [String; 7] {
    [
        resource.name.clone(),
        resource.short_names.join(","),
        version.to_string(),
        resource.namespaced.to_string(),
        resource.kind.clone(),
        resource.verbs.join(","),
        resource.categories.join(","),
    ]
}

/// Columns as kubectl's tabwriter makes them: at least six wide and three apart
/// (cli-runtime: `pkg/printers/tabwriter.go`).
fn table(lines: &[&[String]]) -> String {
    const LEAST_WIDTH: usize = 6;
    const PADDING: usize = 3;
    let width = |text: &str| text.chars().count();
    let column = |at: usize| lines.iter().map(|line| width(&line[at]) + PADDING).max().unwrap_or(0).max(LEAST_WIDTH);
    let last = lines.first().map_or(0, |line| line.len() - 1);
    let widths: Vec<usize> = (0..last).map(column).collect();
    let mut text = String::new();
    for line in lines {
        for (cell, width_of_column) in line.iter().zip(&widths) {
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', width_of_column - width(cell)));
        }
        text.push_str(&line[last]);
        text.push('\n');
    }
    text
}
