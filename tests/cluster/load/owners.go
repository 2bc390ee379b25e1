package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	finalizer = LoadLabel
	// A Job managed by another controller is left alone by Kubernetes' own.
	managedBy = LoadLabel
)

// createOwner makes the ReplicaSet or Job, as the garbage collector deletes pods whose owner does not exist.
func createOwner(ctx context.Context, client kubernetes.Interface, w *workload) error {
	var err error
	if w.job {
		w.uid, err = createJob(ctx, client, w)
	} else {
		w.uid, err = createReplicaSet(ctx, client, w)
	}
	return err
}

// createReplicaSet leaves it in deletion, held by a finalizer: its controller then neither makes nor deletes pods.
func createReplicaSet(ctx context.Context, client kubernetes.Interface, w *workload) (types.UID, error) {
	// Until it is in deletion it wants no pods.
	replicas, sets := int32(0), client.AppsV1().ReplicaSets(w.namespace)
	set, err := sets.Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Labels: w.labels, Finalizers: []string{finalizer}},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: w.labels},
			Template: w.template(),
		},
	}, metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return "", err
	}
	background := metav1.DeletePropagationBackground
	if err := sets.Delete(ctx, w.name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return "", err
	}
	scale := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, w.replicas)
	_, err = sets.Patch(ctx, w.name, types.MergePatchType, scale, metav1.PatchOptions{FieldManager: "kube-controller-manager"})
	return set.UID, err
}

func createJob(ctx context.Context, client kubernetes.Interface, w *workload) (types.UID, error) {
	manager, replicas, yes := managedBy, int32(w.replicas), true
	template := w.template()
	template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	job, err := client.BatchV1().Jobs(w.namespace).Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Labels: w.labels},
		Spec: batchv1.JobSpec{ManagedBy: &manager, Completions: &replicas, Parallelism: &replicas,
			ManualSelector: &yes, Selector: &metav1.LabelSelector{MatchLabels: w.labels}, Template: template},
	}, metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return "", err
	}
	return job.UID, nil
}

func (w *workload) template() corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: w.labels, Annotations: w.annotations}}
	w.spec.DeepCopyInto(&template.Spec)
	nameToken(&template.Spec, "kube-api-access")
	return template
}
