package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

//go:embed manifests/objects.yaml
var objects string

const allowedNamespace = "allowed"
const nodeCount = 3

// client speaks to the API server as the admin.
type client struct {
	server string
	token  string
	http   *http.Client
}

func newClient(l *layout) *client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(l.ca.pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &client{l.server, l.users["admin"].Token, &http.Client{Transport: transport, Timeout: 5 * time.Second}}
}

func (c *client) do(ctx context.Context, method, path, body string) ([]byte, int, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, strings.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/yaml")
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return text, response.StatusCode, err
}

// until repeats a check; when time is up the error holds what came back last.
func until(ctx context.Context, what string, check func() (bool, string)) error {
	last := ""
	for {
		done, answer := check()
		if done {
			return nil
		}
		if answer != "" {
			last = answer
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Waited for %s; last answer: %s", what, last)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *client) apiServerReady(ctx context.Context) error {
	return until(ctx, "the API server to be ready", func() (bool, string) {
		text, status, err := c.do(ctx, "GET", "/readyz", "")
		if err != nil {
			return false, err.Error()
		}
		return status == http.StatusOK, strings.TrimSpace(string(text))
	})
}

// createObjects makes the nodes, and what the restricted user may see. Each document names its path in its first line.
func (c *client) createObjects(ctx context.Context) error {
	for _, document := range strings.Split(objects, "\n---\n") {
		document = strings.TrimSpace(document)
		first, body, _ := strings.Cut(document, "\n")
		path := strings.TrimSpace(strings.TrimPrefix(first, "#"))
		err := until(ctx, "POST "+path, func() (bool, string) {
			text, status, err := c.do(ctx, "POST", path, body)
			if err != nil {
				return false, err.Error()
			}
			return status == http.StatusCreated || status == http.StatusConflict, string(text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *client) nodesReady(ctx context.Context) error {
	return until(ctx, "the nodes to be Ready", func() (bool, string) {
		text, _, err := c.do(ctx, "GET", "/api/v1/nodes", "")
		if err != nil {
			return false, err.Error()
		}
		ready := countReady(text)
		return ready == nodeCount, fmt.Sprintf("%d of %d Ready", ready, nodeCount)
	})
}

func countReady(text []byte) int {
	var list struct {
		Items []struct {
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if json.NewDecoder(bytes.NewReader(text)).Decode(&list) != nil {
		return 0
	}
	ready := 0
	for _, node := range list.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" {
				ready++
			}
		}
	}
	return ready
}

// serviceAccountsExist: until then the API server refuses pods in the namespace.
func (c *client) serviceAccountsExist(ctx context.Context) error {
	for _, namespace := range []string{"default", allowedNamespace} {
		path := "/api/v1/namespaces/" + namespace + "/serviceaccounts/default"
		err := until(ctx, "the service account of namespace "+namespace, func() (bool, string) {
			text, status, err := c.do(ctx, "GET", path, "")
			if err != nil {
				return false, err.Error()
			}
			return status == http.StatusOK, string(text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
