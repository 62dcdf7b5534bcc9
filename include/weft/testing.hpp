#pragma once

/** For tests: scripted models and endpoints, virtual time, failing stores, crashes. For tests only.
 *
 *  Beside <weft/weft.hpp>. Links with `weft::testing`. Test cases of Boost.Test that are coroutines need
 *  <weft/testing/async_test_case.hpp> as well. docs/GUIDE.md has a section about tests. */

#include <weft/testing/crash_kit.hpp>
#include <weft/testing/faulty_store.hpp>
#include <weft/testing/leak_check.hpp>
#include <weft/testing/manual_clock.hpp>
#include <weft/testing/model/word_embedding_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/scripted_reply.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>
