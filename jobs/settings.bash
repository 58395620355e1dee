# The settings of jobs: what a site wants of every job. Sourced, never run; needs
# common.bash and JOSTLE_ROOT.
# shellcheck shell=bash

settings_file=${JOSTLE_SETTINGS:-$JOSTLE_ROOT/jobs/settings}
declare -a modules=() sbatch_options=() qsub_options=() measure_options=()
scratch='' restarts=20 partition=''

# settings_read: reads settings_file, see settings.example; ends with an error when
# JOSTLE_SETTINGS names one that cannot be read.
settings_read() {
    : "${modules[@]}" "${measure_options[@]}" "${sbatch_options[@]}" "${qsub_options[@]}" "$scratch" "$restarts" "$partition"
    if [[ -r $settings_file ]]; then
        # shellcheck source=settings.example
        source "$settings_file"
    elif [[ -n ${JOSTLE_SETTINGS:-} ]]; then
        die "$settings_file cannot be read: fix JOSTLE_SETTINGS"
    fi
}
