#!/usr/bin/env bash
# A SLURM cluster of a few pretended nodes on this machine, for tests; its packages are installed if
# they are missing.   Root, Debian or Ubuntu; no systemd, no accounting, no control groups.
#
#   cluster.sh up            idempotent
#   cluster.sh down          stop what `up` started, and delete it
#
# NODES (2), CPUS (2) and MEMORY (8000 MB) of each; FOLDER (/var/lib/fedreact-slurm) for its files.
set -euo pipefail

folder=${FOLDER:-/var/lib/fedreact-slurm}
nodes=${NODES:-2} cpus=${CPUS:-2} memory=${MEMORY:-8000}
conf=/etc/slurm/slurm.conf # the default place: the executor's jobs lose the variable SLURM_CONF
mark="# Written by fedreact, tests/end_to_end/slurm/cluster.sh"
host=$(hostname -s)
unset SLURM_CONF
PATH=$PATH:/usr/sbin:/sbin

fail() { echo "error: $*" >&2; exit 2; }

# pid PIDFILE COMMAND: the process if it is alive, i.e. neither gone, nor another, nor a zombie.
pid() {
  local p
  p=$(cat "$1" 2>/dev/null) && [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$2" ] || return 1
  [ "$(sed 's/.*) //; s/ .*//' "/proc/$p/stat" 2>/dev/null || echo Z)" != Z ] && echo "$p"
}

stop() {
  local p
  p=$(pid "$1" "$2") || return 0
  kill "$p"
  for _ in $(seq 50); do
    pid "$1" "$2" >/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$p"
}

install_packages() {
  for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null && continue
    # RUNLEVEL=1: the packages start no services.
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    words="install -y -qq --no-install-recommends munge slurmctld slurmd slurm-client"
    # shellcheck disable=SC2086
    apt-get $words >/dev/null 2>&1 || { apt-get update -qq && apt-get $words; } >/dev/null 2>&1 ||
      fail "SLURM's packages cannot be installed: apt-get $words"
    return 0
  done
}

make_conf() {
  cat <<END
$mark
ClusterName=fedreact
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=15
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
EnforcePartLimits=ALL
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
# Without accounting, squeue is asked; it forgets a finished job after so many seconds.
MinJobAge=3600
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=5
KillWait=3
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[26821-$((26820 + nodes))] CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES PriorityTier=10 PreemptMode=OFF MaxTime=7-0 DefMemPerCPU=200 State=UP
# Jobs here make room for those of main, and go back to the queue.
PartitionName=scavenge Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE MaxTime=7-0 DefMemPerCPU=200 State=UP
END
}

up() {
  [ "$(id -u)" = 0 ] || fail "a cluster for tests needs root"
  if [ -e $conf ] && ! grep -qF "$mark" $conf; then
    fail "$conf is another cluster's: none for tests is started here"
  fi
  install_packages
  if [ -e $conf ] && [ "$(make_conf)" != "$(cat $conf)" ]; then down; fi # it has other nodes
  umask 022
  mkdir -p "$folder"/{munge,state,spool}
  chmod 711 "$folder/munge"
  [ -s "$folder/munge/key" ] || (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  local munge=$folder/munge
  pid "$munge/pid" munged >/dev/null || {
    rm -f "$munge"/socket* "$munge/pid"
    munged --key-file="$munge/key" --socket="$munge/socket" --pid-file="$munge/pid" \
      --log-file="$munge/log" --seed-file="$munge/seed"
  }
  mkdir -p /etc/slurm
  make_conf >$conf
  pid "$folder/slurmctld.pid" slurmctld >/dev/null || slurmctld
  for i in $(seq "$nodes"); do
    mkdir -p "$folder/spool/n$i"
    pid "$folder/slurmd-n$i.pid" slurmd >/dev/null || slurmd -N "n$i"
  done
  for _ in $(seq 100); do
    ready=$(sinfo -h -N -p main -t idle,mixed,alloc -o %N 2>/dev/null | wc -l) || true
    [ "$ready" = "$nodes" ] && exit 0
    scontrol update nodename="n[1-$nodes]" state=resume >/dev/null 2>&1 || true
    sleep 0.3
  done
  tail -n 20 "$folder"/*.log >&2
  fail "the cluster did not come up"
}

down() {
  grep -qsF "$mark" $conf || return 0
  if ids=$(timeout 5 squeue -h -o %A 2>/dev/null) && [ -n "$ids" ]; then
    # shellcheck disable=SC2086
    scancel $ids 2>/dev/null || true
    for _ in $(seq 50); do
      [ -z "$(timeout 5 squeue -h -o %A 2>/dev/null)" ] && break
      sleep 0.2
    done
  fi
  for file in "$folder"/slurmd-*.pid; do stop "$file" slurmd; done
  stop "$folder/slurmctld.pid" slurmctld
  stop "$folder/munge/pid" munged
  [ ! -s "$folder/munge/key" ] || rm -rf "$folder"
  rm -f $conf
}

case ${1:-} in
  up) up ;;
  down) down ;;
  *) fail "usage: cluster.sh up|down" ;;
esac
