package main

import (
	"fmt"
	"maps"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podPlan is one pod to be made: what its workload says and what is its own.
type podPlan struct {
	owner *workload
	index int
	node  int
	// seed of what is random in the pod alone, so that workers may take pods in any order.
	seed uint64
}

func plans(random *rand.Rand, workloads []*workload, nodes int) []podPlan {
	var all []podPlan
	for _, w := range workloads {
		for range w.replicas {
			all = append(all, podPlan{owner: w, index: len(all), node: random.IntN(nodes), seed: random.Uint64()})
		}
	}
	return all
}

func nodeName(index int) string { return fmt.Sprintf("worker-%c-%03d", 'a'+rune(index%3), index) }
func nodeIP(index int) string   { return fmt.Sprintf("10.%d.%d.%d", 64, index/250, 1+index%250) }
func podIP(index int) string {
	return fmt.Sprintf("10.%d.%d.%d", 128+index/62500, index/250%250, 1+index%250)
}

func (p podPlan) pod(random *rand.Rand) *corev1.Pod {
	w := p.owner
	kind, api := "ReplicaSet", "apps/v1"
	if w.job {
		kind, api = "Job", "batch/v1"
	}
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:         w.name + "-" + suffix(random),
			GenerateName: w.name + "-",
			Namespace:    w.namespace,
			Labels:       maps.Clone(w.labels),
			Annotations:  maps.Clone(w.annotations),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: api, Kind: kind, Name: w.name, UID: w.uid,
				Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec: *w.spec.DeepCopy(),
	}
	pod.Spec.NodeName = nodeName(p.node)
	if w.job {
		pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	nameToken(&pod.Spec, "kube-api-access-"+suffix(random))
	return pod
}

// nameToken gives the token's volume and its mounts the name that they still lack.
func nameToken(spec *corev1.PodSpec, name string) {
	for i := range spec.Volumes {
		if spec.Volumes[i].Name == "" {
			spec.Volumes[i].Name = name
		}
	}
	for i := range spec.Containers {
		for j := range spec.Containers[i].VolumeMounts {
			if mount := &spec.Containers[i].VolumeMounts[j]; mount.Name == "" {
				mount.Name = name
			}
		}
	}
}
