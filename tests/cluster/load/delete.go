package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// remove deletes all that create made, and waits until it is gone.
func remove(ctx context.Context, client kubernetes.Interface) error {
	begin := time.Now()
	ours := metav1.ListOptions{LabelSelector: LoadLabel}
	spaces, err := client.CoreV1().Namespaces().List(ctx, ours)
	if err != nil {
		return fmt.Errorf("Cannot list the namespaces: %w", err)
	}
	if err := each(ctx, 32, spaces.Items, func(space corev1.Namespace) error { return empty(ctx, client, space.Name) }); err != nil {
		return fmt.Errorf("Cannot delete the pods: %w", err)
	}
	nodes := metav1.ListOptions{LabelSelector: NodeLabel}
	if err := client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, nodes); err != nil {
		return fmt.Errorf("Cannot delete the nodes: %w", err)
	}
	for {
		left, err := client.CoreV1().Namespaces().List(ctx, ours)
		if err != nil {
			return fmt.Errorf("Cannot list the namespaces: %w", err)
		}
		if len(left.Items) == 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Printf("All is deleted after %.1f s\n", time.Since(begin).Seconds())
	return nil
}

// empty deletes a namespace and first what would hold it: pods that no kubelet ends, ReplicaSets with our finalizer.
func empty(ctx context.Context, client kubernetes.Interface, name string) error {
	ours := metav1.ListOptions{LabelSelector: LoadLabel}
	now := metav1.NewDeleteOptions(0)
	if err := client.CoreV1().Pods(name).DeleteCollection(ctx, *now, ours); err != nil {
		return err
	}
	sets, err := client.AppsV1().ReplicaSets(name).List(ctx, ours)
	if err != nil {
		return err
	}
	err = each(ctx, 4, sets.Items, func(set appsv1.ReplicaSet) error {
		release := []byte(`{"metadata":{"finalizers":null}}`)
		_, err := client.AppsV1().ReplicaSets(name).Patch(ctx, set.Name, types.MergePatchType, release, metav1.PatchOptions{})
		return unlessGone(err)
	})
	if err != nil {
		return err
	}
	return unlessGone(client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))
}

func unlessGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
