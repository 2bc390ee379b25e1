use super::TableModel;

impl TableModel {
    /// Calls with the namespace and the name of each object, in the order of both; the filter does not matter.
    pub fn each_name(&self, call: &mut dyn FnMut(&str, &str)) {
        for slot in self.order.iter_from(0) {
            let names = self.rows.names(slot);
            call(names.namespace, names.name);
        }
    }
}
