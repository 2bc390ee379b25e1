package main

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// workload is what the pods of one ReplicaSet, or of one Job, have in common.
type workload struct {
	namespace string
	// name is the owner's: a Deployment's name and the hash of its template, or a Job's name.
	name     string
	hash     string
	job      bool
	replicas int
	uid      types.UID

	labels      map[string]string
	annotations map[string]string
	// spec lacks what differs between pods: the node, and the suffix of the token's volume.
	spec     corev1.PodSpec
	imageIDs map[string]string
}

var apps = []string{
	"accounts", "ad-server", "address-lookup", "analytics", "api-gateway", "audit-log", "auth", "billing", "cart",
	"catalog", "checkout", "content", "currency", "customer-portal", "delivery", "email", "event-bus", "exports",
	"feature-flags", "feed", "fraud-check", "geo", "image-resizer", "indexer", "inventory", "invoices", "ledger",
	"loyalty", "media", "notifications", "orders", "payments", "pricing", "profile", "promotions", "push",
	"recommendations", "reports", "returns", "reviews", "scheduler", "search", "sessions", "shipping", "sms",
	"statements", "storefront", "subscriptions", "tax", "telemetry", "tracking", "translations", "warehouse", "webhooks",
}

var (
	teams      = []string{"platform", "commerce", "growth", "finance", "logistics", "identity", "data", "mobile"}
	components = []string{"api", "worker", "web", "consumer", "cron", "cache"}
	registries = []string{"registry.example.com/shop", "quay.io/example", "ghcr.io/example-org"}
	stages     = []string{"production", "staging", "canary"}
)

// replicaCount is skewed as in a real cluster: half of the workloads have up to three pods, few have hundreds.
func replicaCount(random *rand.Rand) int {
	switch share := random.IntN(100); {
	case share < 50:
		return 1 + random.IntN(3)
	case share < 80:
		return 4 + random.IntN(17)
	case share < 95:
		return 21 + random.IntN(60)
	default:
		return 100 + random.IntN(300)
	}
}

// makeWorkloads returns workloads whose replicas add up to `pods`. One in eight is a Job with few pods.
func makeWorkloads(random *rand.Rand, pods, namespaces int) []*workload {
	var all []*workload
	taken := map[string]bool{}
	for left := pods; left > 0; {
		w := newWorkload(random, namespaces, len(all))
		if taken[w.namespace+"/"+w.name] {
			continue
		}
		taken[w.namespace+"/"+w.name] = true
		w.replicas = min(w.replicas, left)
		left -= w.replicas
		all = append(all, w)
	}
	return all
}

func newWorkload(random *rand.Rand, namespaces, index int) *workload {
	app := apps[index%len(apps)]
	component := pick(random, components)
	w := &workload{
		namespace: fmt.Sprintf("load-%02d", random.IntN(namespaces)),
		hash:      hash(random),
		job:       index%8 == 7,
		replicas:  replicaCount(random),
	}
	if w.job {
		w.replicas = 1 + random.IntN(6)
		w.name = fmt.Sprintf("%s-%s-%d", app, component, 29700000+random.IntN(99999))
	} else {
		w.name = fmt.Sprintf("%s-%s-%s", app, component, w.hash)
	}
	version := fmt.Sprintf("v%d.%d.%d", 1+random.IntN(5), random.IntN(40), random.IntN(20))
	w.describe(random, app, component, version)
	w.spec = podSpec(random, app, component, version)
	w.imageIDs = map[string]string{}
	for _, c := range w.spec.Containers {
		w.imageIDs[c.Image] = imageID(c.Image)
	}
	return w
}

func (w *workload) describe(random *rand.Rand, app, component, version string) {
	w.labels = map[string]string{
		LoadLabel:                "true",
		"app.kubernetes.io/name": app,
		"version":                version,
	}
	if random.IntN(3) == 0 {
		w.labels["component"] = component
		w.labels["team"] = pick(random, teams)
	}
	if w.job {
		w.labels["batch.kubernetes.io/job-name"] = w.name
	} else {
		w.labels["pod-template-hash"] = w.hash
	}
	w.annotations = map[string]string{}
	if random.IntN(2) == 0 {
		w.annotations["checksum/config"] = hex(random, 64)
	}
	if random.IntN(5) == 0 {
		w.annotations["prometheus.io/scrape"] = "true"
		w.annotations["prometheus.io/port"] = fmt.Sprint(9000 + random.IntN(200))
	}
	if random.IntN(4) == 0 {
		w.annotations["kubectl.kubernetes.io/restartedAt"] = fmt.Sprintf("2026-11-%02dT%02d:%02d:%02d+01:00",
			1+random.IntN(28), random.IntN(24), random.IntN(60), random.IntN(60))
	}
}
