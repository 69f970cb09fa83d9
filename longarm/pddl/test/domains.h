// SPDX-License-Identifier: Apache-2.0
// Small domains of our own for the tests, and problems in them of any size.
#pragma once

#include <string>

#include <fmt/format.h>

#include "longarm/pddl/read.h"

namespace longarm::pddl {

inline Domain domain_of(const std::string& text) {
  Diagnostics diagnostics;
  Domain domain = read_domain(text, "domain.pddl", diagnostics);
  diagnostics.throw_if_errors();
  return domain;
}

inline Problem problem_of(const std::string& text, const Domain& domain) {
  Diagnostics diagnostics;
  Problem problem = read_problem(text, "problem.pddl", domain, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

/// Blocks on a table and one hand; four actions that count one each.
inline Domain blocks_domain() {
  return domain_of(R"((define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?a - block ?b - block) (on-table ?a - block) (clear ?a - block)
               (holding ?a - block) (hand-free))
  (:action lift :parameters (?a - block)
    :precondition (and (clear ?a) (on-table ?a) (hand-free))
    :effect (and (holding ?a) (not (clear ?a)) (not (on-table ?a)) (not (hand-free))))
  (:action put-down :parameters (?a - block)
    :precondition (holding ?a)
    :effect (and (on-table ?a) (clear ?a) (hand-free) (not (holding ?a))))
  (:action stack :parameters (?a - block ?b - block)
    :precondition (and (holding ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (hand-free) (not (holding ?a)) (not (clear ?b))))
  (:action unstack :parameters (?a - block ?b - block)
    :precondition (and (on ?a ?b) (clear ?a) (hand-free))
    :effect (and (holding ?a) (clear ?b) (not (on ?a ?b)) (not (clear ?a)) (not (hand-free))))))");
}

/// A robot with two hands carries balls from one room to the other.
inline Domain rooms_domain() {
  return domain_of(R"((define (domain rooms)
  (:requirements :strips :typing :negative-preconditions)
  (:types room ball hand)
  (:predicates (robot-in ?r - room) (ball-in ?b - ball ?r - room) (full ?h - hand)
               (carries ?h - hand ?b - ball))
  (:action go :parameters (?from - room ?to - room)
    :precondition (and (robot-in ?from) (not (robot-in ?to)))
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action take :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (ball-in ?b ?r) (not (full ?h)))
    :effect (and (full ?h) (carries ?h ?b) (not (ball-in ?b ?r))))
  (:action drop :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (carries ?h ?b))
    :effect (and (ball-in ?b ?r) (not (full ?h)) (not (carries ?h ?b))))))");
}

inline Problem rooms_problem(int balls, const Domain& domain) {
  std::string objects = "a b - room left right - hand";
  std::string init = "(robot-in a)";
  std::string goal;
  for (int i = 1; i <= balls; ++i) {
    objects += fmt::format(" ball_{} - ball", i);
    init += fmt::format(" (ball-in ball_{} a)", i);
    goal += fmt::format(" (ball-in ball_{} b)", i);
  }
  return problem_of(fmt::format("(define (problem p) (:domain rooms) (:objects {}) (:init {}) "
                                "(:goal (and{})))",
                                objects, init, goal),
                    domain);
}

/// Trucks on roads of any length carry packages; costs are the lengths, and one for a load.
inline Domain roads_domain() {
  return domain_of(R"((define (domain roads)
  (:requirements :strips :typing :action-costs)
  (:types truck package - thing place)
  (:predicates (at ?t - thing ?p - place) (in ?p - package ?t - truck) (road ?a ?b - place))
  (:functions (total-cost) (length ?a ?b - place))
  (:action drive :parameters (?t - truck ?a - place ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b))
    :effect (and (at ?t ?b) (not (at ?t ?a)) (increase (total-cost) (length ?a ?b))))
  (:action load :parameters (?p - package ?t - truck ?a - place)
    :precondition (and (at ?t ?a) (at ?p ?a))
    :effect (and (in ?p ?t) (not (at ?p ?a)) (increase (total-cost) 1)))
  (:action unload :parameters (?p - package ?t - truck ?a - place)
    :precondition (and (at ?t ?a) (in ?p ?t))
    :effect (and (at ?p ?a) (not (in ?p ?t)) (increase (total-cost) 1)))))");
}

}  // namespace longarm::pddl
