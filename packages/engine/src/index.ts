// The pure core (decide, evolve, pipeline, projections) will live here; nothing is exported yet.
export {};
