package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// churn writes a status every 1/rate seconds: each worker has pods of its own and a beat of its own.
func churn(ctx context.Context, client kubernetes.Interface, opts options) error {
	if opts.rate <= 0 {
		return fmt.Errorf("The rate must be above 0")
	}
	pods, err := runningPods(ctx, client, opts.first)
	if err != nil {
		return err
	}
	workers := min(opts.workers, len(pods))
	// The end of the time ends the loop, and no update under way.
	lasting := ctx
	if opts.seconds > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(opts.seconds*float64(time.Second)))
		defer cancel()
		lasting = limited
	}
	fmt.Printf("%g updates a second on %d pods\n", opts.rate, len(pods))
	run := &churning{client: client, opts: opts, begin: time.Now()}
	stopped := run.progress()
	var group sync.WaitGroup
	for id := range workers {
		var mine []*corev1.Pod
		for i := id; i < len(pods); i += workers {
			mine = append(mine, pods[i])
		}
		group.Go(func() { run.work(ctx, lasting, id, workers, mine) })
	}
	group.Wait()
	stopped()
	seconds := time.Since(run.begin).Seconds()
	fmt.Printf("%d updates in %.1f s: %.1f a second; %d failed\n", run.sent.Load(), seconds, float64(run.sent.Load())/seconds, run.failed.Load())
	if problem := run.problem.Load(); problem != nil {
		return fmt.Errorf("The first update that failed: %w", *problem)
	}
	return nil
}

type churning struct {
	client       kubernetes.Interface
	opts         options
	begin        time.Time
	sent, failed atomic.Int64
	problem      atomic.Pointer[error]
}

// work sends its share in time; what is late is sent at once, so that the rate is held where the server allows.
func (c *churning) work(ctx, lasting context.Context, id, workers int, pods []*corev1.Pod) {
	random := newRandom(c.opts.seed + uint64(id)<<32)
	beat := time.Duration(float64(time.Second) / c.opts.rate * float64(workers))
	due := c.begin.Add(beat * time.Duration(id) / time.Duration(workers))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(due))
		select {
		case <-lasting.Done():
			return
		case <-timer.C:
		}
		if err := c.update(ctx, random, pods[random.IntN(len(pods))]); err == nil {
			c.sent.Add(1)
		} else if ctx.Err() == nil {
			c.failed.Add(1)
			c.problem.CompareAndSwap(nil, &err)
		}
		due = due.Add(beat)
		// More than a second late: the server is at its limit; a burst would not help.
		if now := time.Now(); now.Sub(due) > time.Second {
			due = now
		}
	}
}

func (c *churning) update(ctx context.Context, random *rand.Rand, pod *corev1.Pod) error {
	now := time.Now()
	main := &pod.Status.ContainerStatuses[0]
	if random.IntN(100) < c.opts.flips || main.State.Running == nil {
		flip(pod, now)
	} else {
		restart(random, main, main.RestartCount+1, now.Truncate(time.Second))
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[SentAnnotation] = strconv.FormatInt(time.Now().UnixNano(), 10)
	_, err := c.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
}

// flip turns readiness of the main container, and with it that of the pod.
func flip(pod *corev1.Pod, now time.Time) {
	main := &pod.Status.ContainerStatuses[0]
	main.Ready = !main.Ready
	status, reason, message := corev1.ConditionTrue, "", ""
	if !main.Ready {
		status, reason = corev1.ConditionFalse, "ContainersNotReady"
		message = "containers with unready status: [" + main.Name + "]"
	}
	for i := range pod.Status.Conditions {
		one := &pod.Status.Conditions[i]
		if one.Type == corev1.PodReady || one.Type == corev1.ContainersReady {
			one.Status, one.Reason, one.Message = status, reason, message
			one.LastTransitionTime = metav1.NewTime(now)
		}
	}
}

// runningPods returns pods that run, without what the server keeps by itself: an update leaves that as it is.
func runningPods(ctx context.Context, client kubernetes.Interface, first int) ([]*corev1.Pod, error) {
	var pods []*corev1.Pod
	list := metav1.ListOptions{LabelSelector: LoadLabel, Limit: 2000}
	for {
		page, err := client.CoreV1().Pods("").List(ctx, list)
		if err != nil {
			return nil, fmt.Errorf("Cannot list the pods: %w", err)
		}
		for i := range page.Items {
			pod := page.Items[i]
			if pod.Status.Phase == corev1.PodRunning && len(pod.Status.ContainerStatuses) > 0 {
				pod.ManagedFields, pod.ResourceVersion = nil, ""
				pods = append(pods, &pod)
			}
		}
		list.Continue = page.Continue
		if list.Continue == "" {
			break
		}
	}
	if len(pods) == 0 {
		return nil, fmt.Errorf("No running pods with the label %s: make them with load create", LoadLabel)
	}
	sort.Slice(pods, func(i, j int) bool {
		return pods[i].Namespace+"/"+pods[i].Name < pods[j].Namespace+"/"+pods[j].Name
	})
	if first > 0 && first < len(pods) {
		pods = pods[:first]
	}
	return pods, nil
}

func (c *churning) progress() func() {
	ticker, done := time.NewTicker(10*time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				seconds := time.Since(c.begin).Seconds()
				fmt.Printf("%d updates after %.0f s: %.1f a second\n", c.sent.Load(), seconds, float64(c.sent.Load())/seconds)
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}
