use super::*;

fn service(kind: &str, spec: Value, ingress: Value) -> Value {
    let mut spec = spec;
    spec["type"] = kind.into();
    json!({"spec": spec, "status": {"loadBalancer": {"ingress": ingress}}})
}

#[test]
fn services() {
    let ports = json!([{"port": 2233, "protocol": "tcp"}]);
    let node_port = json!([{"port": 8888, "nodePort": 9999, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]);
    let spec = |more: Value| {
        let mut spec = json!({"ports": ports, "clusterIPs": ["10.9.8.7", "fd00::7"], "clusterIP": "10.9.8.7"});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        spec
    };
    let two = json!([{"ip": "3.4.5.6"}, {"ip": "2.3.4.5", "hostname": "h"}, {"hostname": "zone.example"}]);
    let name = json!({"externalName": "my.database.example.com"});
    check(
        "v1/services",
        &[
            (
                service("ClusterIP", spec(json!({"selector": {"foo": "bar", "a": "b"}})), json!([])),
                "ns | x | ClusterIP | 10.9.8.7 | <none> | 2233/tcp | 5m | a=b,foo=bar",
            ),
            (
                service("ClusterIP", spec(json!({"externalIPs": ["80.1.2.3"], "clusterIPs": ["None"]})), json!([])),
                "ns | x | ClusterIP | None | 80.1.2.3 | 2233/tcp | 5m | <none>",
            ),
            (
                service("NodePort", spec(json!({"ports": node_port})), json!([])),
                "ns | x | NodePort | 10.9.8.7 | <none> | 8888:9999/TCP,53/UDP | 5m | <none>",
            ),
            (
                service("LoadBalancer", spec(json!({})), json!([])),
                "ns | x | LoadBalancer | 10.9.8.7 | <pending> | 2233/tcp | 5m | <none>",
            ),
            (
                service("LoadBalancer", spec(json!({"externalIPs": ["80.11.12.10"]})), json!([])),
                "ns | x | LoadBalancer | 10.9.8.7 | 80.11.12.10 | 2233/tcp | 5m | <none>",
            ),
            (
                service("LoadBalancer", spec(json!({"externalIPs": ["80.11.12.10"]})), two.clone()),
                "ns | x | LoadBalancer | 10.9.8.7 | 2.3.4.5,3.4.5.6,zone.example,80.11.12.10 | 2233/tcp | 5m | <none>",
            ),
            (
                service("LoadBalancer", spec(json!({})), two),
                "ns | x | LoadBalancer | 10.9.8.7 | 2.3.4.5,3.4.5.6,zone.example | 2233/tcp | 5m | <none>",
            ),
            (
                service("ExternalName", name, json!([])),
                "ns | x | ExternalName | <none> | my.database.example.com | <none> | 5m | <none>",
            ),
        ],
    );
}

#[test]
fn endpoints() {
    let addresses = |addresses: &[&str]| -> Value { addresses.iter().map(|it| json!({"ip": it})).collect() };
    let subset = |list: &[&str], ports: Value| json!({"addresses": addresses(list), "ports": ports});
    let port = json!([{"port": 8001}]);
    let four = ["1.2.3.4", "5.6.7.8", "9.8.7.6", "6.6.6.6"];
    check(
        "v1/endpoints",
        &[
            (json!({}), "ns | x | <none> | 5m"),
            (json!({"subsets": [subset(&four[..2], json!([]))]}), "ns | x | 1.2.3.4,5.6.7.8 | 5m"),
            (
                json!({"subsets": [subset(&["1.2.3.4", "fd00::1"], port.clone())]}),
                "ns | x | 1.2.3.4:8001,[fd00::1]:8001 | 5m",
            ),
            (
                json!({"subsets": [subset(&four, port.clone())]}),
                "ns | x | 1.2.3.4:8001,5.6.7.8:8001,9.8.7.6:8001 + 1 more... | 5m",
            ),
            (json!({"subsets": [{"notReadyAddresses": addresses(&four), "ports": port}]}), "ns | x |  | 5m"),
        ],
    );
}

#[test]
fn endpoint_slices() {
    let addresses = json!([{"addresses": ["10.1.2.3", "2001:db8::1"]}, {"addresses": ["10.2.3.4", "2001:db8::2"]}]);
    let port = |name: &str, port: u32| json!({"name": name, "port": port, "protocol": "TCP"});
    let two = json!([port("http", 80), port("https", 443)]);
    let four = json!([{"name": "any"}, {}, port("", 3000), port("grpc", 4000)]);
    check(
        "discovery.k8s.io/v1/endpointslices",
        &[
            (
                json!({"addressType": "IPv6", "ports": two, "endpoints": addresses}),
                "ns | x | IPv6 | 80,443 | 10.1.2.3,2001:db8::1,10.2.3.4 + 1 more... | 5m",
            ),
            (
                json!({"addressType": "IPv4", "ports": four, "endpoints": null}),
                "ns | x | IPv4 | any,*,3000 + 1 more... | <unset> | 5m",
            ),
            (json!({"addressType": "FQDN", "ports": null}), "ns | x | FQDN | <unset> | <unset> | 5m"),
        ],
    );
}

#[test]
fn ingresses() {
    let rules = |hosts: &[&str]| -> Value { hosts.iter().map(|it| json!({"host": it})).collect() };
    let status = json!({"loadBalancer": {"ingress": [{"ip": "2.3.4.5"}, {"hostname": "a.example"}]}});
    check(
        "networking.k8s.io/v1/ingresses",
        &[
            (
                json!({"spec": {"ingressClassName": "foo", "rules": rules(&["a", "b", "c", "d", "e"]), "tls": [{}]}, "status": status}),
                "ns | x | foo | a,b,c + 2 more... | 2.3.4.5,a.example | 80, 443 | 5m",
            ),
            (json!({"spec": {"rules": rules(&["a", "", "b", "c"])}}), "ns | x | <none> | a,b,c |  | 80 | 5m"),
            (json!({"spec": {"defaultBackend": {}}}), "ns | x | <none> | * |  | 80 | 5m"),
        ],
    );
}

#[test]
fn ingress_classes() {
    let spec = |parameters: Value| json!({"controller": "example.com/controller", "parameters": parameters});
    let default = json!({"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}});
    let of_group = json!({"kind": "Custom", "apiGroup": "example.com", "name": "p"});
    check(
        "networking.k8s.io/v1/ingressclasses",
        &[
            (json!({"spec": {"controller": "example.com/controller"}}), "x | example.com/controller | <none> | 5m"),
            (
                json!({"metadata": default, "spec": spec(of_group)}),
                "x (default) | example.com/controller | Custom.example.com/p | 5m",
            ),
            (
                json!({"spec": spec(json!({"kind": "ConfigMap", "name": "p"}))}),
                "x | example.com/controller | ConfigMap/p | 5m",
            ),
        ],
    );
}

#[test]
fn network_policies_addresses_and_ranges() {
    check(
        "networking.k8s.io/v1/networkpolicies",
        &[
            (json!({"spec": {"podSelector": {}}}), "ns | x | <none> | 5m"),
            (json!({"spec": {"podSelector": {"matchLabels": {"foo": "bar"}}}}), "ns | x | foo=bar | 5m"),
        ],
    );
    let parent = json!({"group": "mygroup", "resource": "myresource", "namespace": "mynamespace", "name": "myname"});
    check(
        "networking.k8s.io/v1/ipaddresses",
        &[
            (json!({"spec": {"parentRef": parent}}), "x | myresource.mygroup/mynamespace/myname"),
            (json!({"spec": {"parentRef": {"resource": "nodes", "name": "n"}}}), "x | nodes/n"),
            (json!({"spec": {}}), "x | <none>"),
        ],
    );
    check(
        "networking.k8s.io/v1/servicecidrs",
        &[
            (json!({"spec": {"cidrs": ["10.1.0.0/16", "fd00:1:1::/64"]}}), "x | 10.1.0.0/16,fd00:1:1::/64 | 5m"),
            (json!({"spec": {}}), "x |  | 5m"),
        ],
    );
}
