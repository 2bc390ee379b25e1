use super::{Cell, Column, Resource};
use crate::api::{GroupVersionResource, Object};

const NAME: Column = Column::new("NAME", false, "The object's name");
const AGE: Column = Column::new("AGE", true, "Time since the object was created");

static OF_A_CLUSTER: [Column; 2] = [NAME, AGE];
static OF_NAMESPACES: [Column; 3] = [Column::new("NAMESPACE", false, "The namespace the object is in"), NAME, AGE];

impl Resource {
    /// A table of names and ages, for a kind without columns of its own.
    ///
    /// It stays for as long as the program runs, as those of the built-in kinds do: keep it, and make each but once.
    pub fn plain(resource: &GroupVersionResource, title: &str, kind: &str, is_namespaced: bool) -> &'static Self {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        Box::leak(Box::new(Self {
            title: keep(title),
            kind: keep(kind),
            name: keep(&resource.resource),
            group: keep(&resource.group),
            version: keep(&resource.version),
            columns: if is_namespaced { &OF_NAMESPACES } else { &OF_A_CLUSTER },
            print: if is_namespaced { in_a_namespace } else { in_the_cluster },
        }))
    }
}

fn in_a_namespace(object: &Object) -> Box<[Cell]> {
    let [name, age] = name_and_age(object);
    Box::new([Cell::text(object.namespace()), name, age])
}

fn in_the_cluster(object: &Object) -> Box<[Cell]> {
    Box::new(name_and_age(object))
}

fn name_and_age(object: &Object) -> [Cell; 2] {
    [Cell::text(object.name()), Cell::Age(object.creation_timestamp())]
}
