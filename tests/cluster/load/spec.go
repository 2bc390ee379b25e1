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
	{"otel-agent", "docker.io/otel/opentelemetry-collector:0.135.0"},
	{"statsd", "docker.io/prom/statsd-exporter:v0.28.0"},
	{"nginx", "docker.io/library/nginx:1.29.1"},
}

var settings = []string{
	"LOG_LEVEL", "LOG_FORMAT", "HTTP_PORT", "GRPC_PORT", "DATABASE_HOST", "DATABASE_NAME", "REDIS_URL", "KAFKA_BROKERS",
	"FEATURE_FLAGS_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "CACHE_TTL_SECONDS", "MAX_CONNECTIONS",
	"REQUEST_TIMEOUT", "GOMAXPROCS", "JAVA_TOOL_OPTIONS", "SENTRY_ENVIRONMENT", "S3_BUCKET", "AWS_REGION", "TZ",
}

func podSpec(random *rand.Rand, app, component, version string) corev1.PodSpec {
	grace := int64(10 * (1 + random.IntN(6)))
	spec := corev1.PodSpec{
		Containers: []corev1.Container{
			mainContainer(random, app, component, version),
			sidecarContainer(random),
		},
		Volumes: []corev1.Volume{
			tokenVolume(),
		},
		ServiceAccountName:            "default",
		TerminationGracePeriodSeconds: &grace,
		RestartPolicy:                 corev1.RestartPolicyAlways,
		Tolerations:                   tolerations(),
	}
	if random.IntN(3) == 0 {
		share(&spec)
	}
	if random.IntN(4) == 0 {
		configure(&spec, app)
	}
	return spec
}

// share gives both containers a folder.
func share(spec *corev1.PodSpec) {
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	for i := range spec.Containers {
		mounts := &spec.Containers[i].VolumeMounts
		*mounts = append(*mounts, corev1.VolumeMount{Name: "tmp", MountPath: "/tmp"})
	}
}

// configure mounts a ConfigMap into the main container.
func configure(spec *corev1.PodSpec, app string) {
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app + "-config"}}}})
	main := &spec.Containers[0]
	main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "config", MountPath: "/etc/" + app, ReadOnly: true})
	main.Args = []string{"--config=/etc/" + app + "/config.yaml"}
}

func mainContainer(random *rand.Rand, app, component, version string) corev1.Container {
	c := corev1.Container{
		Name:            app,
		Image:           fmt.Sprintf("%s/%s-%s:%s", pick(random, registries), app, component, version),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Env:             environment(random, app, random.IntN(2)),
		Resources:       resources(random),
		VolumeMounts:    []corev1.VolumeMount{tokenMount()},
	}
	port := int32(8000 + random.IntN(1000))
	probed := intstr.FromInt32(port)
	if random.IntN(3) == 0 {
		c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: port}}
		probed = intstr.FromString("http")
	}
	if random.IntN(4) > 0 {
		c.ReadinessProbe = httpProbe(random, "/readyz", probed)
	}
	if random.IntN(4) == 0 {
		c.LivenessProbe = httpProbe(random, "/healthz", probed)
	}
	return c
}

func sidecarContainer(random *rand.Rand) corev1.Container {
	sidecar := pick(random, sidecars)
	c := corev1.Container{
		Name:            sidecar.name,
		Image:           sidecar.image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		VolumeMounts:    []corev1.VolumeMount{tokenMount()},
	}
	if random.IntN(2) == 0 {
		c.Env = []corev1.EnvVar{{Name: "UPSTREAM", Value: fmt.Sprintf("127.0.0.1:%d", 8000+random.IntN(1000))}}
	}
	if random.IntN(4) == 0 {
		c.Resources = resources(random)
	}
	if random.IntN(8) == 0 {
		c.ReadinessProbe = &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(int32(15000 + random.IntN(100)))}}}
	}
	return c
}

func tokenMount() corev1.VolumeMount { return corev1.VolumeMount{MountPath: tokenPath, ReadOnly: true} }

func environment(random *rand.Rand, app string, plain int) []corev1.EnvVar {
	env := []corev1.EnvVar{{Name: "DATABASE_PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: app + "-database"}, Key: "password"}}}}
	if random.IntN(3) == 0 {
		env = []corev1.EnvVar{fieldEnv("POD_IP", "status.podIP")}
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

func httpProbe(random *rand.Rand, path string, port intstr.IntOrString) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: port}},
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
