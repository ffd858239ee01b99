# Where the catalogue lies: KIND=FOLDER, below the project's root. The kinds are those of planner/scenario/vocabulary.cc.
set(trainplan_catalog_folders
    accelerator=hw_profiles/accelerators
    cluster=hw_profiles/clusters
    roadmap=hw_profiles/roadmaps
    calibration=operator_models/calibrations
    near-memory=hw_profiles/near_memory
    model=scenarios/models
    software=scenarios/software
    layout-policy=scenarios/layouts
    errors=scenarios/errors
    layer=scenarios/layers)
