"""Sweeps: a plan expands to jobs, jobs run on cores or on a cluster, and a store keeps what is finished."""
