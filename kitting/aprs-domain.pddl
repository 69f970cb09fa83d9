; SPDX-License-Identifier: Apache-2.0
; gears, vessels and kits of the lab's kitting cell
(define (domain kitting)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types
    robot zone slot part tray - object
    vessel kit - tray
    sku_part_small_gear sku_part_medium_gear sku_part_large_gear - part
    sku_small_gear_vessel sku_medium_gear_vessel sku_large_gear_vessel - vessel
    sku_kit_m2l1_vessel sku_kit_s2l2_vessel - kit)
  (:predicates
    (works ?r - robot)
    (free ?r - robot)
    (holds ?r - robot ?p - part)
    (at ?p - part ?s - slot)
    (loose ?p - part ?z - zone)
    (in ?s - slot ?z - zone)
    (of ?s - slot ?t - tray)
    (meant ?p - part ?s - slot)
    (empty ?s - slot)
    (filled ?s - slot)
    (reaches ?r - robot ?x - object)
    (ready ?z - zone)
    (movable ?z - zone))
  (:functions
    (total-cost)
    (pick-time ?r - robot ?x - object)
    (place-time ?r - robot ?s - slot)
    (bring-time ?z - zone))

  (:action pick
    :parameters (?r - robot ?p - part ?s - slot ?z - zone)
    :precondition (and
      (works ?r)
      (free ?r)
      (at ?p ?s)
      (in ?s ?z)
      (ready ?z)
      (reaches ?r ?s))
    :effect (and
      (holds ?r ?p)
      (empty ?s)
      (not (free ?r))
      (not (at ?p ?s))
      (not (filled ?s))
      (increase (total-cost) (pick-time ?r ?s))))

  (:action pick-loose
    :parameters (?r - robot ?p - part ?z - zone)
    :precondition (and
      (works ?r)
      (free ?r)
      (loose ?p ?z)
      (ready ?z)
      (reaches ?r ?p))
    :effect (and
      (holds ?r ?p)
      (not (free ?r))
      (not (loose ?p ?z))
      (increase (total-cost) (pick-time ?r ?p))))

  (:action place
    :parameters (?r - robot ?p - part ?s - slot ?z - zone)
    :precondition (and
      (works ?r)
      (holds ?r ?p)
      (meant ?p ?s)
      (empty ?s)
      (in ?s ?z)
      (ready ?z)
      (reaches ?r ?s))
    :effect (and
      (at ?p ?s)
      (filled ?s)
      (free ?r)
      (not (holds ?r ?p))
      (not (empty ?s))
      (increase (total-cost) (place-time ?r ?s))))

  (:action bring
    :parameters (?z - zone)
    :precondition (and
      (movable ?z)
      (not (ready ?z)))
    :effect (and
      (ready ?z)
      (increase (total-cost) (bring-time ?z)))))
