package main

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed manifests/kwok.yaml
var kwokConfig string

// Some thousand pods must appear within seconds; client-go's default is 20 requests a second.
const kubeAPIRate = "--kube-api-qps=2000"
const kubeAPIBurst = "--kube-api-burst=2000"

// layout is where one cluster's files and ports are.
type layout struct {
	dir    string
	server string
	ca     *authority
	parts  map[string]*part
	users  map[string]user
}

func newLayout(opts options) (*layout, error) {
	l := &layout{dir: opts.dir, parts: map[string]*part{}, users: map[string]user{}}
	if err := makeFolders(l.dir); err != nil {
		return nil, err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"} {
		binary, err := findBinary(name, opts.bin)
		if err != nil {
			return nil, err
		}
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		l.parts[name] = &part{name: name, binary: binary, port: port, log: l.path("logs", name+".log")}
	}
	l.server = fmt.Sprintf("https://127.0.0.1:%d", l.parts["kube-apiserver"].port)
	if err := l.writeFiles(); err != nil {
		return nil, err
	}
	return l, l.setArguments()
}

func (l *layout) path(names ...string) string {
	return filepath.Join(append([]string{l.dir}, names...)...)
}

func (l *layout) writeFiles() error {
	var err error
	if l.ca, err = newAuthority(l.path("pki")); err != nil {
		return err
	}
	for _, name := range []string{"kube-apiserver", "kwok"} {
		if err := l.ca.serving(l.path("pki"), name); err != nil {
			return err
		}
	}
	if err := serviceAccountKeys(l.path("pki")); err != nil {
		return err
	}
	for _, name := range []string{"admin", "restricted"} {
		l.users[name] = user{name, newToken(), l.path(name + ".kubeconfig")}
		if err := os.WriteFile(l.users[name].Kubeconfig, []byte(l.kubeconfig(name)), 0o600); err != nil {
			return err
		}
	}
	tokens := fmt.Sprintf("%s,admin,admin,\"system:masters\"\n%s,restricted,restricted,\"restricted\"\n",
		l.users["admin"].Token, l.users["restricted"].Token)
	if err := os.WriteFile(l.path("tokens.csv"), []byte(tokens), 0o600); err != nil {
		return err
	}
	config := strings.ReplaceAll(kwokConfig, "POD_LOG", strconv.Quote(l.path("pod.log")))
	if err := os.WriteFile(l.path("kwok.yaml"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.WriteFile(l.path("pod.log"), []byte(podLog()), 0o600)
}

// podLog is what every container of the cluster has logged: lines as the container runtime writes them.
func podLog() string {
	var text strings.Builder
	for line := 1; line <= 20; line++ {
		fmt.Fprintf(&text, "2026-11-29T18:00:%02d.000000000Z stdout F line %d\n", line, line)
	}
	return text.String()
}

func (l *layout) kubeconfig(name string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: watchglass-test
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %s
  user:
    token: %s
contexts:
- name: watchglass-test
  context:
    cluster: watchglass-test
    user: %s
current-context: watchglass-test
`, l.server, base64.StdEncoding.EncodeToString(l.ca.pem), name, l.users[name].Token, name)
}

func (l *layout) setArguments() error {
	peer, err := freePort()
	if err != nil {
		return err
	}
	peerURL := fmt.Sprintf("http://127.0.0.1:%d", peer)
	etcdURL := fmt.Sprintf("http://127.0.0.1:%d", l.parts["etcd"].port)
	l.parts["etcd"].args = []string{"--data-dir", l.path("etcd"),
		"--listen-client-urls", etcdURL, "--advertise-client-urls", etcdURL,
		"--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
		"--initial-cluster", "default=" + peerURL, "--unsafe-no-fsync", "--log-level", "warn"}
	l.parts["kube-apiserver"].args = append(l.listen("kube-apiserver"),
		"--etcd-servers="+etcdURL, "--cert-dir="+l.path("pki"),
		"--tls-cert-file="+l.path("pki", "kube-apiserver.crt"), "--tls-private-key-file="+l.path("pki", "kube-apiserver.key"),
		"--service-cluster-ip-range=10.0.0.0/16", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+l.path("pki", "sa.pub"), "--service-account-signing-key-file="+l.path("pki", "sa.key"),
		"--token-auth-file="+l.path("tokens.csv"), "--authorization-mode=Node,RBAC", "--allow-privileged=true",
		"--kubelet-preferred-address-types=InternalIP")
	// A busy test machine is late with leases: without the grace its nodes would go NotReady and lose their pods.
	l.parts["kube-controller-manager"].args = append(l.listen("kube-controller-manager"),
		"--kubeconfig="+l.path("admin.kubeconfig"), "--leader-elect=false", kubeAPIRate, kubeAPIBurst,
		"--service-account-private-key-file="+l.path("pki", "sa.key"), "--root-ca-file="+l.path("pki", "ca.crt"),
		"--allocate-node-cidrs=false", "--controllers=*,-node-ipam-controller", "--node-monitor-grace-period=2m")
	l.parts["kube-scheduler"].args = append(l.listen("kube-scheduler"),
		"--kubeconfig="+l.path("admin.kubeconfig"), "--leader-elect=false", kubeAPIRate, kubeAPIBurst)
	kwok := strconv.Itoa(l.parts["kwok"].port)
	l.parts["kwok"].args = []string{"--kubeconfig", l.path("admin.kubeconfig"), "--manage-all-nodes",
		"--node-ip", "127.0.0.1", "--node-port", kwok, "--server-address", "127.0.0.1:" + kwok,
		"--tls-cert-file", l.path("pki", "kwok.crt"), "--tls-private-key-file", l.path("pki", "kwok.key"),
		"--cidr", "10.244.192.0/18", "--node-lease-duration-seconds", "40", "--config", l.path("kwok.yaml")}
	return nil
}

func (l *layout) listen(name string) []string {
	return []string{"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(l.parts[name].port)}
}

// findBinary honours the envtest convention first, then the cache.
func findBinary(name, bin string) (string, error) {
	candidates := []string{filepath.Join(bin, name)}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets != "" && contains([]string{"etcd", "kube-apiserver", "kubectl"}, name) {
		candidates = append([]string{filepath.Join(assets, name)}, candidates...)
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%s is missing; looked for %s\nBuild it with scripts/setup test", name, strings.Join(candidates, " and "))
}

// freePort picks below the ports that the kernel gives to outgoing connections: during an outage the clients
// that retry would else now and then get the API server's own port, and it could not come back.
func freePort() (int, error) {
	var last error
	for range 200 {
		port := 20000 + rand.IntN(12000)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			listener.Close()
			return port, nil
		}
		last = err
	}
	return 0, fmt.Errorf("No free port between 20000 and 32000 on 127.0.0.1: %w", last)
}
