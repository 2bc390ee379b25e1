package main

import (
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type informer struct {
	id            int
	shared        cache.SharedIndexInformer
	registrations map[int]cache.ResourceEventHandlerRegistration
	stopped       chan struct{}
	out           *output
}

// marked says in each request's query whose it is and whether it is a watch, for faults that befall only some.
type marked struct{ next http.RoundTripper }

func (m marked) RoundTrip(request *http.Request) (*http.Response, error) {
	mark := "client=go.list"
	if request.URL.Query().Has("watch") {
		mark = "client=go.watch"
	}
	request = request.Clone(request.Context())
	request.URL.RawQuery += "&" + mark
	return m.next.RoundTrip(request)
}

func start(c command, out *output) (*informer, error) {
	config := &rest.Config{
		Host: c.URL,
		// No limit: the server is ours alone.
		QPS:           -1,
		WrapTransport: func(next http.RoundTripper) http.RoundTripper { return marked{next} },
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", c.Namespace, fields.Everything())
	i := &informer{
		id: c.ID,
		// The period that handlers' own are measured by: without one, they would get none.
		shared:        cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, shortest(c.Handlers), cache.Indexers{}),
		registrations: map[int]cache.ResourceEventHandlerRegistration{},
		stopped:       make(chan struct{}),
		out:           out,
	}
	for _, spec := range c.Handlers {
		if err := i.addHandler(spec); err != nil {
			return nil, err
		}
	}
	go i.shared.Run(i.stopped)
	return i, nil
}

func shortest(handlers []handlerSpec) time.Duration {
	var period time.Duration
	for _, spec := range handlers {
		if wanted := spec.period(); wanted > 0 && (period == 0 || wanted < period) {
			period = wanted
		}
	}
	return period
}

func (s handlerSpec) period() time.Duration { return time.Duration(s.ResyncMs) * time.Millisecond }

func (i *informer) addHandler(spec handlerSpec) error {
	handler := recorder{informer: i, handler: spec.Handler}
	registration, err := i.shared.AddEventHandlerWithResyncPeriod(handler, spec.period())
	i.registrations[spec.Handler] = registration
	return err
}

func (i *informer) removeHandler(handler int) error {
	return i.shared.RemoveEventHandler(i.registrations[handler])
}

func (i *informer) stop() { close(i.stopped) }

type state struct {
	ID      int               `json:"id"`
	Version string            `json:"version"`
	Store   map[string]string `json:"store"`
}

func (i *informer) state() state {
	store := map[string]string{}
	for _, object := range i.shared.GetStore().List() {
		store[key(object)] = version(object)
	}
	return state{ID: i.id, Version: i.shared.LastSyncResourceVersion(), Store: store}
}

// call is one call of a handler; the versions are empty where there is no such object.
type call struct {
	ID        int    `json:"id"`
	Handler   int    `json:"handler"`
	Call      string `json:"call"`
	Key       string `json:"key"`
	Old       string `json:"old"`
	New       string `json:"new"`
	Initial   bool   `json:"initial"`
	Tombstone bool   `json:"tombstone"`
}

// recorder writes down what it is told.
type recorder struct {
	informer *informer
	handler  int
}

func (r recorder) tell(c call) {
	c.ID, c.Handler = r.informer.id, r.handler
	r.informer.out.write(c)
}

func (r recorder) OnAdd(object any, isInInitialList bool) {
	r.tell(call{Call: "add", Key: key(object), New: version(object), Initial: isInInitialList})
}

func (r recorder) OnUpdate(before, after any) {
	r.tell(call{Call: "update", Key: key(after), Old: version(before), New: version(after)})
}

func (r recorder) OnDelete(object any) {
	c := call{Call: "delete", Key: key(object)}
	if tombstone, is := object.(cache.DeletedFinalStateUnknown); is {
		c.Tombstone, object = true, tombstone.Obj
	}
	c.Old = version(object)
	r.tell(c)
}

func key(object any) string {
	name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
	if err != nil {
		return err.Error()
	}
	return name
}

func version(object any) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err.Error()
	}
	return accessor.GetResourceVersion()
}
