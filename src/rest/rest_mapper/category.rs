use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::GroupResource;
use crate::rest::discovery::ServerResources;

/// Tells which resources a category has: `all` (client-go: `restmapper/category_expansion.go`, `CategoryExpander`).
pub trait CategoryExpander {
    /// None when there is no such category.
    fn expand(&self, category: &str) -> Option<Vec<GroupResource>>;
}

/// Categories that are given (client-go: `restmapper/category_expansion.go`, `SimpleCategoryExpander`).
#[derive(Clone, Debug, Default)]
pub struct SimpleCategoryExpander {
    pub expansions: BTreeMap<String, Vec<GroupResource>>,
}

impl CategoryExpander for SimpleCategoryExpander {
    fn expand(&self, category: &str) -> Option<Vec<GroupResource>> {
        self.expansions.get(category).cloned()
    }
}

/// The server's categories (client-go: `restmapper/category_expansion.go`, `NewDiscoveryCategoryExpander`).
#[doc(alias = "NewDiscoveryCategoryExpander")]
#[derive(Clone, Debug, Default)]
pub struct DiscoveryCategoryExpander {
    served: ServerResources,
}

impl DiscoveryCategoryExpander {
    pub fn new(served: ServerResources) -> Self {
        Self { served }
    }
}

impl CategoryExpander for DiscoveryCategoryExpander {
    fn expand(&self, category: &str) -> Option<Vec<GroupResource>> {
        let mut expansion = Vec::new();
        for (version, list) in &self.served.resources {
            let members = list.resources.iter().filter(|resource| resource.categories.iter().any(|it| it == category));
            expansion.extend(members.map(|resource| GroupResource::new(&version.group, &resource.name)));
        }
        (!expansion.is_empty()).then_some(expansion)
    }
}

/// What any of several expanders knows, without duplicates
/// (client-go: `restmapper/category_expansion.go`, `UnionCategoryExpander`).
#[derive(Clone, Default)]
pub struct UnionCategoryExpander(pub Vec<Rc<dyn CategoryExpander>>);

impl CategoryExpander for UnionCategoryExpander {
    fn expand(&self, category: &str) -> Option<Vec<GroupResource>> {
        let mut union: Option<Vec<GroupResource>> = None;
        for expansion in self.0.iter().filter_map(|expander| expander.expand(category)) {
            let union = union.get_or_insert_default();
            for resource in expansion {
                if !union.contains(&resource) {
                    union.push(resource);
                }
            }
        }
        union
    }
}
