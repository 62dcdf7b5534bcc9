#pragma once

#include <weft/facade/ensemble/ensemble_result.hpp>
#include <weft/facade/ensemble_graph.hpp>
#include <weft/graph/drawing.hpp>

#include <boost/json/object.hpp>

namespace weft {

/** How an ensemble is drawn: what its tasks say, for `to_dag_json`, and what a run did. Pass
 *  `ensemble_graph::what` to the drawing.
 *
 *  Descriptions and expected outputs have the variables filled in that `inputs` has values for. The role of a task is
 *  its own, `(synthesized)` if an agent does it, `(deterministic)` if a callable does. */
[[nodiscard]] drawing_options drawing_of(const ensemble_graph& of, const ensemble_inputs& inputs = {});
/** The same with what a run did, and with its inputs. */
[[nodiscard]] drawing_options drawing_of(const ensemble_graph& of, const ensemble_result& ran);

/** AgentEnsemble's DAG JSON of an ensemble; before a run no edge has fired. */
[[nodiscard]] boost::json::object to_dag_json(const ensemble_graph& of, const ensemble_inputs& inputs = {});
/** The same after a run: which edges fired, the visits of each task, why it ended. Of a run that throws, a
 *  `run_overlay_recorder` at `ensemble_request::on_event` has the same: give its overlay to `drawing_of`. */
[[nodiscard]] boost::json::object to_dag_json(const ensemble_graph& of, const ensemble_result& ran);

}  // namespace weft
