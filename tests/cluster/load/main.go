// Command load fills a test cluster with realistic pods, keeps their status moving, and takes them away again.
//
//	load create --kubeconfig F --pods N --nodes M [--namespaces K] [--seed S] [--workers W]
//	load churn  --kubeconfig F --rate R [--seconds S] [--first K] [--flips PERCENT]
//	load delete --kubeconfig F
//
// Nobody schedules or runs these pods: they are bound when they are made, and their status is written as a kubelet
// would. LoadLabel makes the fake kubelet leave them alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// LoadLabel stands on all that create makes but nodes; kwok.yaml names it.
	LoadLabel = "watchglass.dev/load"
	// NodeLabel stands on nodes: kwok is to keep those Ready.
	NodeLabel = "watchglass.dev/load-node"
	// SentAnnotation holds when an update was sent, in nanoseconds since 1970.
	SentAnnotation = "watchglass.dev/sent"
)

const usage = "Usage: load create|churn|delete --kubeconfig F [options]; load create -h lists them"

type options struct {
	kubeconfig string
	pods       int
	nodes      int
	namespaces int
	seed       uint64
	workers    int
	rate       float64
	seconds    float64
	first      int
	flips      int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(usage)
	}
	opts, err := parse(args[0], args[1:])
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", opts.kubeconfig)
	if err != nil {
		return fmt.Errorf("Cannot read the kubeconfig %q: %w", opts.kubeconfig, err)
	}
	client, err := newClient(config)
	if err != nil {
		return err
	}
	switch args[0] {
	case "create":
		return create(ctx, config, client, opts)
	case "churn":
		return churn(ctx, client, opts)
	}
	return remove(ctx, client)
}

func parse(command string, args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("load "+command, flag.ExitOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the cluster's admin")
	switch command {
	case "create":
		flags.IntVar(&opts.pods, "pods", 1000, "number of pods")
		flags.IntVar(&opts.nodes, "nodes", 50, "number of nodes to bind them to")
		flags.IntVar(&opts.namespaces, "namespaces", 20, "number of namespaces")
		flags.Uint64Var(&opts.seed, "seed", 1, "the same seed gives the same pods")
		flags.IntVar(&opts.workers, "workers", 64, "requests under way at once")
	case "churn":
		flags.Float64Var(&opts.rate, "rate", 50, "status updates a second")
		flags.Float64Var(&opts.seconds, "seconds", 0, "how long; 0: until interrupted")
		flags.IntVar(&opts.first, "first", 0, "only the first so many pods by namespace and name; 0: all")
		flags.IntVar(&opts.flips, "flips", 10, "percentage of updates that flip readiness; the others count a restart")
		flags.Uint64Var(&opts.seed, "seed", 1, "the same seed gives the same changes")
		flags.IntVar(&opts.workers, "workers", 64, "requests under way at once")
	case "delete":
	default:
		return opts, fmt.Errorf("Unknown command %q\n%s", command, usage)
	}
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("Not an option: %q\n%s", flags.Arg(0), usage)
	}
	return opts, nil
}

func newClient(config *rest.Config) (*kubernetes.Clientset, error) {
	quick := rest.CopyConfig(config)
	quick.QPS = -1
	quick.Timeout = 5 * time.Minute
	quick.ContentType = "application/vnd.kubernetes.protobuf"
	quick.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(quick)
}
