package main

import (
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fate is how a pod fares.
type fate int

const (
	running fate = iota
	restarted
	crashing
	pulling
	creating
	completed
)

func chooseFate(random *rand.Rand, job bool) fate {
	if job {
		return completed
	}
	switch share := random.IntN(1000); {
	case share < 5:
		return creating
	case share < 15:
		return pulling
	case share < 30:
		return crashing
	case share < 150:
		return restarted
	}
	return running
}

// status is what a kubelet would have written by now of a pod that began some time in the last thirty days.
func (p podPlan) status(random *rand.Rand, pod *corev1.Pod, now time.Time) corev1.PodStatus {
	began := now.Add(-time.Duration(random.Int64N(int64(30 * 24 * time.Hour)))).Truncate(time.Second)
	fate := chooseFate(random, p.owner.job)
	started := metav1.NewTime(began)
	status := corev1.PodStatus{
		ObservedGeneration: 1,
		Phase:              phase(fate),
		StartTime:          &started,
		HostIP:             nodeIP(p.node),
		HostIPs:            []corev1.HostIP{{IP: nodeIP(p.node)}},
		QOSClass:           corev1.PodQOSBurstable,
	}
	if fate != creating {
		status.PodIP = podIP(p.index)
		status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	}
	up := began.Add(time.Duration(2+random.IntN(40)) * time.Second)
	for i := range pod.Spec.Containers {
		one := container(random, p.owner, &pod.Spec.Containers[i], fate, i == 0, up, now)
		status.ContainerStatuses = append(status.ContainerStatuses, one)
	}
	status.Conditions = conditions(fate, began, up)
	return status
}

func phase(fate fate) corev1.PodPhase {
	switch fate {
	case pulling, creating:
		return corev1.PodPending
	case completed:
		return corev1.PodSucceeded
	}
	return corev1.PodRunning
}

// container is the status of one; what befalls a pod befalls its main container, but for the ends of all.
func container(random *rand.Rand, w *workload, spec *corev1.Container, fate fate, main bool, up, now time.Time) corev1.ContainerStatus {
	yes, no := true, false
	one := corev1.ContainerStatus{
		Name:    spec.Name,
		Image:   spec.Image,
		Ready:   true,
		Started: &yes,
		State:   corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(up)}},
	}
	waiting := func(reason, message string) {
		one.Ready, one.Started = false, &no
		one.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	switch {
	case fate == creating:
		waiting("ContainerCreating", "")
		return one
	case fate == pulling && main:
		waiting("ImagePullBackOff", "Back-off pulling image \""+spec.Image+"\"")
		return one
	}
	one.ImageID = w.imageIDs[spec.Image]
	one.ContainerID = "containerd://" + hex(random, 64)
	switch {
	case fate == completed:
		one.Ready, one.Started = false, &no
		one.State = ended(one.ContainerID, "Completed", 0, up, up.Add(time.Duration(random.IntN(900))*time.Second))
	case fate == crashing && main:
		one.RestartCount = int32(3 + random.IntN(400))
		at := now.Add(-time.Duration(random.IntN(300)) * time.Second)
		one.LastTerminationState = ended(one.ContainerID, "Error", 1, at.Add(-3*time.Second), at)
		waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container="+spec.Name+" pod="+w.name)
	case fate == restarted && main:
		restart(random, &one, int32(1+random.IntN(6)), between(random, up, now))
	}
	return one
}

// restart makes a running container one that ended and began again.
func restart(random *rand.Rand, one *corev1.ContainerStatus, count int32, at time.Time) {
	reason, code := "Error", int32(1+random.IntN(3))
	if random.IntN(2) == 0 {
		reason, code = "OOMKilled", 137
	}
	began := at.Add(-time.Hour)
	if one.State.Running != nil {
		began = one.State.Running.StartedAt.Time
	}
	one.LastTerminationState = ended(one.ContainerID, reason, code, began, at)
	one.ContainerID = "containerd://" + hex(random, 64)
	one.RestartCount = count
	one.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(at.Add(time.Second))}}
}

func between(random *rand.Rand, from, to time.Time) time.Time {
	return from.Add(time.Duration(random.Int64N(max(1, int64(to.Sub(from)))))).Truncate(time.Second)
}

func ended(id, reason string, code int32, began, ended time.Time) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: id, Reason: reason,
		ExitCode: code, StartedAt: metav1.NewTime(began), FinishedAt: metav1.NewTime(ended)}}
}

func conditions(fate fate, began, up time.Time) []corev1.PodCondition {
	ready, reason, message := corev1.ConditionTrue, "", ""
	switch fate {
	case crashing, pulling, creating:
		ready, reason, message = corev1.ConditionFalse, "ContainersNotReady", "containers with unready status"
	case completed:
		ready, reason = corev1.ConditionFalse, "PodCompleted"
	}
	make := func(kind corev1.PodConditionType, status corev1.ConditionStatus, at time.Time) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: status, LastTransitionTime: metav1.NewTime(at)}
	}
	all := []corev1.PodCondition{
		make(corev1.PodReadyToStartContainers, corev1.ConditionTrue, began.Add(time.Second)),
		make(corev1.PodInitialized, corev1.ConditionTrue, began),
		make(corev1.PodReady, ready, up),
		make(corev1.ContainersReady, ready, up),
		make(corev1.PodScheduled, corev1.ConditionTrue, began),
	}
	if fate == creating {
		all[0].Status = corev1.ConditionFalse
	}
	for _, i := range []int{2, 3} {
		all[i].Reason, all[i].Message = reason, message
	}
	return all
}
