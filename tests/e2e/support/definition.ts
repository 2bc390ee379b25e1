interface Definition {
  /** `Lamp`; its objects are `lamps` of the group. */
  kind: string;
  group: string;
  scope: 'Cluster' | 'Namespaced';
  /** `additionalPrinterColumns`, as YAML on one line. */
  columns: string;
}

/** A CustomResourceDefinition of any fields, for what its columns show. */
export function definitionOf({ kind, group, scope, columns }: Definition): string {
  const singular = kind.toLowerCase();
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${singular}s.${group} }
spec:
  group: ${group}
  scope: ${scope}
  names: { plural: ${singular}s, singular: ${singular}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      additionalPrinterColumns: ${columns}
`;
}
