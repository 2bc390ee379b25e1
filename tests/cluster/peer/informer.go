package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// sentAnnotation is written by the load tool, in nanoseconds since 1970.
const sentAnnotation = "watchglass.dev/sent"

type synced struct {
	Peer      string `json:"peer"`
	Mode      string `json:"mode"`
	Stripped  bool   `json:"managed_fields_stripped"`
	SyncedMs  int64  `json:"synced_ms"`
	Objects   int    `json:"objects"`
	HeapBytes int64  `json:"heap_bytes_per_object"`
	RSSBytes  int64  `json:"rss_bytes"`
}

type followed struct {
	Events     int     `json:"events"`
	CPUMs      float64 `json:"cpu_ms_per_1000_events"`
	LatencyP50 float64 `json:"latency_ms_p50"`
	LatencyP95 float64 `json:"latency_ms_p95"`
}

func run(ctx context.Context, opts options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := newClient(opts)
	if err != nil {
		return err
	}
	before := heapInUse()
	begin := time.Now()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if opts.strip {
		if err := informer.SetTransform(stripManagedFields); err != nil {
			return err
		}
	}
	meter := newMeter(opts.events)
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: meter.update})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced, registration.HasSynced) {
		return fmt.Errorf("The informer on %s did not sync", opts.url)
	}
	took := time.Since(begin)
	objects := len(informer.GetStore().ListKeys())
	line := synced{Peer: "client-go", Mode: opts.mode, Stripped: opts.strip, SyncedMs: took.Milliseconds(), Objects: objects}
	line.HeapBytes = (heapInUse() - before) / int64(max(1, objects))
	line.RSSBytes = residentBytes()
	if err := write(line); err != nil {
		return err
	}
	if opts.events == 0 {
		return nil
	}
	meter.begin()
	if opts.replay {
		if err := beginReplay(opts.url); err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("Only %d of %d updates came", meter.seen(), opts.events)
	case <-meter.done:
	}
	return write(meter.result())
}

func newClient(opts options) (*kubernetes.Clientset, error) {
	// client-go reads this before it makes its first informer.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(opts.mode != "list")); err != nil {
		return nil, err
	}
	if features.FeatureGates().Enabled(features.WatchListClient) != (opts.mode != "list") {
		return nil, fmt.Errorf("This client-go does not let one choose between a stream and a list")
	}
	config := &rest.Config{Host: opts.url, QPS: -1}
	if opts.mode == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	} else {
		config.ContentType = "application/json"
	}
	config.AcceptContentTypes = config.ContentType
	return kubernetes.NewForConfig(config)
}

func stripManagedFields(object any) (any, error) {
	if pod, is := object.(*corev1.Pod); is {
		pod.ManagedFields = nil
	}
	return object, nil
}

// meter counts updates from begin on, with the processor's time and the delay of each.
type meter struct {
	lock    sync.Mutex
	wanted  int
	running bool
	cpu     time.Duration
	spent   time.Duration
	delays  []float64
	done    chan struct{}
}

func newMeter(wanted int) *meter { return &meter{wanted: wanted, done: make(chan struct{})} }

func (m *meter) begin() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.running, m.cpu = true, processorTime()
}

func (m *meter) seen() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return len(m.delays)
}

func (m *meter) update(_, after any) {
	now := time.Now()
	m.lock.Lock()
	defer m.lock.Unlock()
	if !m.running {
		return
	}
	delay := 0.0
	if sent, err := strconv.ParseInt(after.(*corev1.Pod).Annotations[sentAnnotation], 10, 64); err == nil {
		delay = float64(now.UnixNano()-sent) / 1e6
	}
	m.delays = append(m.delays, delay)
	if len(m.delays) == m.wanted {
		m.running, m.spent = false, processorTime()-m.cpu
		close(m.done)
	}
}

func (m *meter) result() followed {
	m.lock.Lock()
	defer m.lock.Unlock()
	line := followed{Events: len(m.delays), CPUMs: m.spent.Seconds() * 1e6 / float64(len(m.delays))}
	sort.Float64s(m.delays)
	line.LatencyP50, line.LatencyP95 = m.delays[len(m.delays)/2], m.delays[len(m.delays)*95/100]
	return line
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
