package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"

var sidecars = []struct{ name, image string }{
	{"istio-proxy", "docker.io/istio/proxyv2:1.27.1"},
	{"fluent-bit", "cr.fluentbit.io/fluent/fluent-bit:4.0.7"},
	{"vault-agent", "docker.io/hashicorp/vault:1.20.3"},
	{"otel-collector", "ghcr.io/open-telemetry/opentelemetry-collector-releases/opentelemetry-collector:0.135.0"},
	{"config-reloader", "quay.io/prometheus-operator/prometheus-config-reloader:v0.85.0"},
	{"cloud-sql-proxy", "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.18.2"},
}

var settings = []string{
	"LOG_LEVEL", "LOG_FORMAT", "HTTP_PORT", "GRPC_PORT", "DATABASE_HOST", "DATABASE_NAME", "REDIS_URL", "KAFKA_BROKERS",
	"FEATURE_FLAGS_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "CACHE_TTL_SECONDS", "MAX_CONNECTIONS",
	"REQUEST_TIMEOUT", "GOMAXPROCS", "JAVA_TOOL_OPTIONS", "SENTRY_ENVIRONMENT", "S3_BUCKET", "AWS_REGION", "TZ",
}

func podSpec(random *rand.Rand, app, component, version string) corev1.PodSpec {
	sidecar := pick(random, sidecars)
	grace := int64(10 * (1 + random.IntN(6)))
	return corev1.PodSpec{
		Containers: []corev1.Container{
			mainContainer(random, app, component, version),
			sidecarContainer(random, sidecar.name, sidecar.image, app),
		},
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: app + "-config"}}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			tokenVolume(),
		},
		ServiceAccountName:            "default",
		TerminationGracePeriodSeconds: &grace,
		RestartPolicy:                 corev1.RestartPolicyAlways,
		Tolerations:                   tolerations(),
	}
}

func mainContainer(random *rand.Rand, app, component, version string) corev1.Container {
	port := int32(8000 + random.IntN(1000))
	c := corev1.Container{
		Name:            app,
		Image:           fmt.Sprintf("%s/%s-%s:%s", pick(random, registries), app, component, version),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: port}},
		Env:             environment(random, app, 1+random.IntN(4)),
		LivenessProbe:   httpProbe(random, "/healthz"),
		ReadinessProbe:  httpProbe(random, "/readyz"),
		Resources:       resources(random),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: "/etc/" + app, ReadOnly: true}, {Name: "tmp", MountPath: "/tmp"}, {MountPath: tokenPath, ReadOnly: true}},
	}
	if random.IntN(4) == 0 {
		c.Args = []string{"--config=/etc/" + app + "/config.yaml", fmt.Sprintf("--port=%d", port)}
	}
	return c
}

func sidecarContainer(random *rand.Rand, name, image, app string) corev1.Container {
	return corev1.Container{
		Name:            name,
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Env:             []corev1.EnvVar{{Name: "UPSTREAM", Value: fmt.Sprintf("127.0.0.1:%d", 8000+random.IntN(1000))}},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(int32(15000 + random.IntN(100)))}},
			PeriodSeconds: int32(5 + random.IntN(10)),
		},
		Resources:    resources(random),
		VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/var/lib/" + name}, {MountPath: tokenPath, ReadOnly: true}},
	}
}

func environment(random *rand.Rand, app string, plain int) []corev1.EnvVar {
	env := []corev1.EnvVar{
		fieldEnv("POD_IP", "status.podIP"),
		{Name: "DATABASE_PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: app + "-database"}, Key: "password"}}},
	}
	for _, index := range random.Perm(len(settings))[:plain] {
		env = append(env, corev1.EnvVar{Name: settings[index], Value: settingValue(random, settings[index], app)})
	}
	return env
}

func settingValue(random *rand.Rand, name, app string) string {
	switch {
	case strings.HasSuffix(name, "URL") || strings.HasSuffix(name, "ENDPOINT"):
		return fmt.Sprintf("http://%s-%d.%s.svc.cluster.local:4317", app, random.IntN(9), pick(random, teams))
	case strings.HasSuffix(name, "HOST") || strings.HasSuffix(name, "BROKERS"):
		return fmt.Sprintf("%s-db-%d.internal.example.com", app, random.IntN(9))
	case strings.HasSuffix(name, "NAME") || strings.HasSuffix(name, "BUCKET"):
		return app + "-" + pick(random, stages)
	}
	return fmt.Sprint(random.IntN(9000))
}

func fieldEnv(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

func httpProbe(random *rand.Rand, path string) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")}},
		InitialDelaySeconds: int32(5 * random.IntN(7)),
		PeriodSeconds:       int32(5 + 5*random.IntN(4)),
		TimeoutSeconds:      int32(1 + random.IntN(5)),
	}
}

func resources(random *rand.Rand) corev1.ResourceRequirements {
	cpu, memory := int64(50*(1+random.IntN(40))), int64(64*(1+random.IntN(32)))
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.BinarySI)},
		Limits: corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(memory<<21, resource.BinarySI)},
	}
}

// tokenVolume is what admission would add under a random name, so that the seed decides the name.
func tokenVolume() corev1.Volume {
	expiration, readable := int64(3607), int32(0o644)
	return corev1.Volume{VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: &readable,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &expiration, Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace",
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}}
}

func tolerations() []corev1.Toleration {
	seconds := int64(300)
	return []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
	}
}
