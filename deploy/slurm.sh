#!/bin/bash
# A batch over the tasks of a Slurm array: each makes its part of the runs and writes its rows as one file.
#
# Change: the array, the levels and seeds. Then: sbatch deploy/slurm.sh
# A part that failed is made again with: sbatch --array=3 --export=ALL,WALKON_SHARDS=16 deploy/slurm.sh
#SBATCH --job-name=walkon-batch
#SBATCH --array=0-15
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --output=walkon-%A_%a.log
set -u

batch=${WALKON_BATCH:-levels/courtyard.json --seeds 1..100000 --seconds 60}
rows=${ROWS:-rows}
mkdir -p "$rows"
part="$rows/part-$SLURM_ARRAY_TASK_ID.jsonl"

# The words of the batch are meant to be split.
# shellcheck disable=SC2086
walkon batch $batch --shard auto --jobs "${SLURM_CPUS_PER_TASK:-1}" > "$part.tmp"
code=$?

# A run that fails (1), faults (4) or meets a limit (5) has its row: the part is done. Whatever else ends it leaves
# no file, so that a part is there whole or not at all.
case $code in
    0 | 1 | 4 | 5) mv "$part.tmp" "$part" ;;
    *) rm -f "$part.tmp" && exit "$code" ;;
esac
