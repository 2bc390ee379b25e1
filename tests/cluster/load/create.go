package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func create(ctx context.Context, config *rest.Config, client kubernetes.Interface, opts options) error {
	begin := time.Now()
	random := newRandom(opts.seed)
	workloads := makeWorkloads(random, opts.pods, opts.namespaces)
	all := plans(random, workloads, opts.nodes)
	if err := createPlaces(ctx, client, workloads, opts); err != nil {
		return err
	}
	if err := each(ctx, opts.workers, workloads, func(w *workload) error { return createOwner(ctx, client, w) }); err != nil {
		return fmt.Errorf("Cannot make the owners of the pods: %w", err)
	}
	fmt.Printf("%d nodes, %d namespaces, %d workloads after %.1f s\n", opts.nodes, opts.namespaces, len(workloads), time.Since(begin).Seconds())
	if err := createPods(ctx, client, all, begin, opts); err != nil {
		return err
	}
	return report(ctx, config)
}

// createPods does so while the controllers pause: each would read all that is written, and count replicas after each pod.
func createPods(ctx context.Context, client kubernetes.Interface, all []podPlan, begin time.Time, opts options) error {
	resume, err := pause(opts.kubeconfig)
	if err != nil {
		return err
	}
	defer resume()
	var made atomic.Int64
	defer progress(&made, len(all), begin)()
	err = each(ctx, opts.workers, all, func(p podPlan) error {
		defer made.Add(1)
		return createPod(ctx, client, p, begin)
	})
	if err != nil {
		return fmt.Errorf("Cannot make the pods: %w", err)
	}
	fmt.Printf("%d pods after %.1f s\n", len(all), time.Since(begin).Seconds())
	return nil
}

// createPod writes it as three parts of a cluster do: its controller, sometimes the scheduler, and the kubelet.
func createPod(ctx context.Context, client kubernetes.Interface, p podPlan, now time.Time) error {
	random := newRandom(p.seed)
	pods := client.CoreV1().Pods(p.owner.namespace)
	pod, err := pods.Create(ctx, p.pod(random), metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return err
	}
	status := p.status(random, pod, now)
	// Who was pending first has a trace of the scheduler.
	if random.IntN(8) == 0 {
		pod.Status.Conditions = status.Conditions[len(status.Conditions)-1:]
		if pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kube-scheduler"}); err != nil {
			return err
		}
	}
	pod.Status = status
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
}

// createPlaces makes nodes and namespaces, and waits until pods may stand there.
func createPlaces(ctx context.Context, client kubernetes.Interface, workloads []*workload, opts options) error {
	nodes := make([]int, opts.nodes)
	for i := range nodes {
		nodes[i] = i
	}
	if err := each(ctx, opts.workers, nodes, func(i int) error { return createNode(ctx, client, i) }); err != nil {
		return fmt.Errorf("Cannot make the nodes: %w", err)
	}
	names := map[string]bool{}
	for _, w := range workloads {
		names[w.namespace] = true
	}
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	if err := each(ctx, opts.workers, list, func(name string) error { return createNamespace(ctx, client, name) }); err != nil {
		return fmt.Errorf("Cannot make the namespaces: %w", err)
	}
	return nil
}

func createNode(ctx context.Context, client kubernetes.Interface, index int) error {
	name := nodeName(index)
	limits := quantities("cpu", "64", "memory", "256Gi", "pods", "1000")
	_, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			NodeLabel: "true", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"topology.kubernetes.io/zone": "zone-" + string('a'+rune(index%3)), "node.kubernetes.io/instance-type": "m7i.16xlarge",
		}},
		Status: corev1.NodeStatus{Capacity: limits, Allocatable: limits, Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: nodeIP(index)}, {Type: corev1.NodeHostName, Address: name}}},
	}, metav1.CreateOptions{})
	return err
}

// createNamespace returns when the namespace has the account without which admission refuses pods.
func createNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{LoadLabel: "true"}}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	for {
		_, err := client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// each does the work with some workers, and returns the first error.
func each[T any](ctx context.Context, workers int, items []T, work func(T) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	var once sync.Once
	var first error
	for range min(workers, len(items)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = work(items[i])
				}
				if err != nil {
					once.Do(func() { first = err })
					next.Store(int64(len(items)))
					return
				}
			}
		})
	}
	group.Wait()
	return first
}

// progress prints a line every five seconds until the function that it returns is called.
func progress(made *atomic.Int64, all int, begin time.Time) func() {
	ticker, done := time.NewTicker(5*time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				fmt.Printf("%d of %d pods after %.0f s\n", made.Load(), all, time.Since(begin).Seconds())
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}
